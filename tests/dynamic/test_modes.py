"""Grad modes: nesting, exceptions, decorators, generators, threads."""

import asyncio
import threading

import pytest

import minigrad as mg


def tracked():
    """Is an operation on a tracked tensor recorded now?"""
    x = mg.ones(2, requires_grad=True)
    return (x * 2).requires_grad


def test_no_grad_records_nothing_and_restores():
    assert tracked()
    with mg.no_grad():
        assert not tracked()
        assert not mg.is_grad_enabled()
        with mg.enable_grad():
            assert tracked()
        assert not tracked()
    assert tracked()


def test_modes_are_restored_after_exceptions():
    with pytest.raises(ZeroDivisionError), mg.no_grad():
        raise ZeroDivisionError
    assert mg.is_grad_enabled()


def test_one_object_may_be_entered_several_times():
    mode = mg.no_grad()
    with mode:
        with mode:
            assert not mg.is_grad_enabled()
        assert not mg.is_grad_enabled()
    assert mg.is_grad_enabled()


def test_set_grad_enabled_as_a_call_and_as_a_block():
    mg.set_grad_enabled(False)
    try:
        assert not mg.is_grad_enabled()
    finally:
        mg.set_grad_enabled(True)
    with mg.set_grad_enabled(False):
        assert not mg.is_grad_enabled()
    assert mg.is_grad_enabled()

    @mg.set_grad_enabled(False)
    def inside():
        return mg.is_grad_enabled()

    assert mg.is_grad_enabled()
    assert not inside()


@pytest.mark.parametrize("mode", [mg.no_grad, mg.no_grad(), mg.inference_mode, mg.inference_mode()])
def test_decorators(mode):
    @mode
    def inside(a, *, b=1):
        """What it says."""
        return mg.is_grad_enabled(), a, b

    assert inside(2, b=3) == (False, 2, 3)
    assert inside.__doc__ == "What it says."
    assert mg.is_grad_enabled()


def test_inference_mode_false_records():
    with mg.no_grad(), mg.inference_mode(False):
        assert tracked()


def test_enable_grad_as_a_decorator_inside_no_grad():
    @mg.enable_grad()
    def inside():
        return tracked()

    with mg.no_grad():
        assert inside()


def test_a_decorated_generator_keeps_its_mode_to_itself():
    @mg.no_grad()
    def steps():
        try:
            received = yield mg.is_grad_enabled()
            yield received, mg.is_grad_enabled()
        except ValueError:
            yield "caught", mg.is_grad_enabled()
        return "end", mg.is_grad_enabled()

    generator = steps()
    assert next(generator) is False
    assert mg.is_grad_enabled()
    assert generator.send(5) == (5, False)
    assert generator.throw(ValueError()) == ("caught", False)
    assert mg.is_grad_enabled()
    with pytest.raises(StopIteration) as end:
        next(generator)
    assert end.value.value == ("end", False)


def test_closing_a_decorated_generator_runs_its_cleanup_in_its_mode():
    seen = []

    @mg.no_grad()
    def steps():
        try:
            yield 1
        finally:
            seen.append(mg.is_grad_enabled())

    generator = steps()
    next(generator)
    generator.close()
    assert seen == [False]
    assert mg.is_grad_enabled()


def test_a_decorated_coroutine():
    @mg.no_grad()
    async def inside():
        return mg.is_grad_enabled()

    assert asyncio.run(inside()) is False


def test_classes_and_values_cannot_be_decorated():
    class Model:
        pass

    with pytest.raises(TypeError, match="methods of Model"):
        mg.no_grad()(Model)
    with pytest.raises(TypeError, match="decorates functions"):
        mg.no_grad()(3)


def test_a_new_thread_starts_with_recording_on():
    seen = []

    def work():
        seen.append(mg.is_grad_enabled())

    with mg.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == [True]


def test_what_is_made_under_no_grad_is_a_leaf():
    x = mg.ones(2, requires_grad=True)
    with mg.no_grad():
        y = x * 2
    assert y.is_leaf
    assert not y.requires_grad
    assert y.grad_fn is None
