"""Small faults that can be made in a source: one comparison, number, call or statement each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import CodeType
from typing import Final, NamedTuple

_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
_DROPPED: Final = ("select_for_update", "distinct", "order_by")
"""Methods of a QuerySet without which a query still runs."""
_SAYS_NOTHING: Final = (ast.Raise, ast.JoinedStr, ast.AnnAssign, ast.Assert)
"""What a fault inside would only change in a sentence or in an annotation."""


class Mutation(NamedTuple):
    """One fault: in which function of which file, and how the place reads before and after."""

    path: str
    function: str
    lines: range
    """Those of its statement; of a loop or a branch, those of its head."""
    before: str
    after: str

    @property
    def name(self) -> str:
        """Return a name that stays when other lines of the file change."""
        return f"{self.path} {self.function}: {self.before} -> {self.after}"


def list_mutations(root: Path, path: str) -> list[Mutation]:
    """Return all mutations within the functions of a file, in the order of the source."""
    tree = ast.parse((root / path).read_text())
    made = []
    for name, function in _functions(tree):
        for place, lines in _places(function):
            made += [
                Mutation(path, name, lines, _shown(place), _shown(changed))
                for changed in _changes(place)
            ]
    return made


def mutated_code(root: Path, mutation: Mutation, nth: int) -> CodeType:
    """Return the code of the mutated function.

    Args:
        nth: which of the mutations of the file it is, as `list_mutations` counts.
    """
    tree = ast.parse((root / mutation.path).read_text())
    count = 0
    for name, function in _functions(tree):
        for place, _ in _places(function):
            for changed in _changes(place):
                if count == nth:
                    _replace(function, place, changed)
                    code = compile(
                        ast.fix_missing_locations(tree), str(root / mutation.path), "exec"
                    )
                    return _code_named(code, name, function)
                count += 1
    raise LookupError(mutation.name)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the functions of a module and the methods of its classes, not what is within them."""
    stack: list[tuple[str, ast.AST]] = [("", tree)]
    while stack:
        prefix, node = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{prefix}{child.name}", child
            elif isinstance(child, ast.ClassDef):
                stack.append((f"{prefix}{child.name}.", child))
            elif isinstance(child, ast.If | ast.Try | ast.With):
                stack.append((prefix, child))


def _places(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[ast.stmt | ast.expr, range]]:
    stack: list[tuple[ast.AST, range]] = [(node, range(0)) for node in reversed(function.body)]
    while stack:
        node, lines = stack.pop()
        if isinstance(node, _SAYS_NOTHING) and not getattr(node, "value", None):
            continue
        if isinstance(node, ast.stmt):
            inner = getattr(node, "body", None)
            last = inner[0].lineno - 1 if inner else node.end_lineno or node.lineno
            lines = range(node.lineno, max(last, node.lineno) + 1)
        if isinstance(node, ast.stmt | ast.expr):
            yield node, lines
        stack.extend((child, lines) for child in reversed(list(ast.iter_child_nodes(node))))


def _changes(node: ast.stmt | ast.expr) -> Iterator[ast.stmt | ast.expr]:
    changed = deepcopy(node)
    match node, changed:
        case ast.Compare(ops=[op]), ast.Compare() if type(op) in _COMPARISONS:
            changed.ops = [_COMPARISONS[type(op)]()]
            yield changed
        case ast.BinOp(op=operator), ast.BinOp() if type(operator) in _OPERATORS:
            changed.op = _OPERATORS[type(operator)]()
            yield changed
        case ast.BoolOp(op=joint), ast.BoolOp():
            changed.op = ast.Or() if isinstance(joint, ast.And) else ast.And()
            yield changed
        case ast.UnaryOp(op=ast.Not(), operand=operand), _:
            yield operand
        case ast.Constant(value=bool() as flag), ast.Constant():
            changed.value = not flag
            yield changed
        case ast.Constant(value=int() | float() as number), ast.Constant():
            changed.value = number + 1
            yield changed
        case ast.Call(func=ast.Attribute(attr=method, value=rows)), _ if method in _DROPPED:
            yield rows
        case ast.Call(func=ast.Name(id=name)), ast.Call() if name in _NAMES:
            changed.func = ast.Name(_NAMES[name], ast.Load())
            yield changed
        case ast.Expr(value=ast.Call()), _:
            yield ast.Pass()
        case ast.Break(), _:
            yield ast.Continue()
        case ast.Continue(), _:
            yield ast.Break()


def _shown(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _replace(parent: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for node in ast.walk(parent):
        for field, value in ast.iter_fields(node):
            if value is old:
                setattr(node, field, ast.copy_location(new, old))
                return
            if isinstance(value, list):
                for index, each in enumerate(value):
                    if each is old:
                        value[index] = ast.copy_location(new, old)
                        return
    raise LookupError(ast.dump(old))


def _code_named(code: CodeType, name: str, function: ast.AST) -> CodeType:
    """Return the code of a function by its qualified name; of several, the one at its line."""
    found = [each for each in _codes(code) if each.co_qualname == name]
    at = getattr(function, "lineno", 0)
    return min(found, key=lambda each: abs(each.co_firstlineno - at))


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)
