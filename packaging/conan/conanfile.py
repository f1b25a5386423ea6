"""Conan's recipe: the headers. Beside it stands a copy of the release, or the recipe lies in the repository."""
import os

from conan import ConanFile
from conan.tools.files import copy


class Pytree(ConanFile):
    """Headers only: nothing is built, and one package serves every compiler."""

    name = "pytree"
    version = "0.2.0"
    description = "Pytrees for C structs: flatten, rebuild, map, name, compare, print"
    license = "MIT"
    topics = ("pytree", "serialization", "checkpoint", "header-only")
    package_type = "header-library"
    no_copy_source = True

    def export_sources(self):
        """The headers and the licence, of the repository that the recipe lies in."""
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("pytree.h", "pytree_registry.h", "pytree/*", "LICENSE"):
            copy(self, pattern, root, self.export_sources_folder)

    def package_id(self):
        self.info.clear()

    def package(self):
        """Headers and licence to their places."""
        for pattern in ("pytree.h", "pytree_registry.h", "pytree/*.h"):
            copy(self, pattern, self.source_folder, os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.get_safe("os") in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m"]
