"""Steps the simulation of simulation.c, plots its state, and finds its parameters from what was seen of it.

    fit.py LIBRARY [PLOT.svg]

The arrays of Python are the memory of C: the loop below copies the positions only to keep them, and writes the parameters in place.
"""
import pathlib
import sys

import cpytree
import numpy as np

SAMPLES, STEPS = 200, 10


def run(library, parameters=None):
    """The positions of all bodies over time; with other parameters than C's own, if there are some."""
    simulation = library.tree("simulation_new", 5, free="simulation_free")
    state = simulation.root
    if parameters is not None:
        state.springs.stiffness[...], state.springs.damping[...] = parameters        # C sees it
    seen = np.empty((SAMPLES, state.n))
    for sample in seen:
        sample[:] = state.position
        library.c.simulation_step(simulation.pointer, STEPS)                         # and writes into state.position
    return seen, state.steps * state.dt / SAMPLES


def fit(library, seen, guess, rounds=50):
    """The parameters for which the simulation does what was seen: Levenberg and Marquardt, with differences for derivatives."""
    def error(parameters):
        return (seen - run(library, parameters)[0]).ravel()

    parameters, caution = np.array(guess, float), 1.0
    now = error(parameters)
    for count in range(1, rounds + 1):
        slopes = np.stack([(now - error(parameters + step)) / 1e-6 for step in 1e-6 * np.eye(parameters.size)], 1)
        change = np.linalg.solve(slopes.T @ slopes + caution * np.eye(parameters.size), slopes.T @ now)
        then = error(parameters + change)
        if then @ then < now @ now:
            parameters, now, caution = parameters + change, then, caution / 10
        else:
            caution *= 10
        if np.abs(change).max() < 1e-9:
            break
    return parameters, count


def plot(seen, dt, path):
    """Draws the position of each body over time as an SVG file."""
    width, height = 800, 60 * (seen.shape[1] + 1)
    lines = []
    for body in range(seen.shape[1]):
        at = 60 * (body + 1) - 50 * seen[:, body]
        points = " ".join(f"{width * i / len(seen):.1f},{y:.1f}" for i, y in enumerate(at))
        lines.append(f'<polyline points="{points}" fill="none" stroke="hsl({70 * body},70%,40%)"/>')
    text = f'<text x="8" y="{height - 8}" font-size="14">{len(seen) * dt:.0f} seconds</text>'
    pathlib.Path(path).write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">\n'
                                  + "\n".join([*lines, text]) + "\n</svg>\n", encoding="utf-8")


def main():
    """Command line."""
    library = cpytree.Library(sys.argv[1])
    seen, dt = run(library)
    if len(sys.argv) > 2:
        plot(seen, dt, sys.argv[2])
        print(f"plotted {seen.shape[1]} bodies over {len(seen) * dt:.0f} seconds")
    found, rounds = fit(library, seen, guess=(3, 1))
    print(f"from a guess of 3 and 1: stiffness {found[0]:.6f}, damping {found[1]:.6f} after {rounds} rounds")


if __name__ == "__main__":
    main()
