"""The conditions of a decision, from its text."""
import re

# Literals and comments count as one character each, so that && in one of them separates nothing.
TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|/\*.*?\*/|&&|\|\||\s+|.", re.S)


def parenthesis(tokens, at):
    """Where the parenthesis closes that opens at a token."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i][1] in "([{") - (tokens[i][1] in ")]}")
        if depth == 0:
            return i
    return len(tokens)


def blank(token):
    """White space or a comment?"""
    return token[1].isspace() or token[1].startswith("/*")


def leaves(tokens):
    """The conditions of an expression in the order of the text, as lists of tokens; a token is (offset, text)."""
    found = []
    todo = [tokens]
    while todo:
        part = todo.pop()
        while part and blank(part[0]):
            part = part[1:]
        while part and blank(part[-1]):
            part = part[:-1]
        cuts, i = [], 0
        while i < len(part):
            if part[i][1] in ("&&", "||"):
                cuts.append(i)
            i = parenthesis(part, i) + 1 if part[i][1] in ("(", "[", "{") else i + 1
        if cuts:
            edges = zip([-1, *cuts], [*cuts, len(part)])
            todo += reversed([part[begin + 1:end] for begin, end in edges])
        elif part and part[0][1] == "!":
            inner = part[1:]
            while inner and blank(inner[0]):
                inner = inner[1:]
            closed = inner and inner[0][1] == "(" and parenthesis(inner, 0) == len(inner) - 1
            if closed or (inner and inner[0][1] == "!"):
                todo.append(inner)
            else:
                found.append(part)
        elif part and part[0][1] == "(" and parenthesis(part, 0) == len(part) - 1:
            todo.append(part[1:-1])
        elif part:
            found.append(part)
    return found


def conditions(text):
    """The conditions of a decision as (where it begins, where it ends, its text), in the order of the text."""
    tokens = [(found.start(), found.group()) for found in TOKEN.finditer(text.replace("\\\n", " \n"))]
    return [(leaf[0][0], leaf[-1][0] + len(leaf[-1][1]), "".join(token for _, token in leaf)) for leaf in leaves(tokens)]
