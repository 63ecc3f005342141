"""From a graph to something that runs: lowering, rewrites, the plan; and the interpreter that defines the result."""

from minigrad.compiler.compile import compile_plan as compile_plan
from minigrad.compiler.interpreter import interpret as interpret
from minigrad.compiler.plan.plan import Plan as Plan

__all__ = ["Plan", "compile_plan", "interpret"]
