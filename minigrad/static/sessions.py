"""Which session is active: the innermost `with session:` of this context."""

from contextvars import ContextVar

from minigrad.errors import GraphError

active_session: ContextVar = ContextVar("minigrad_active_session", default=None)


def get_default_session():
    """The active session, or None. TensorFlow: tf.get_default_session."""
    return active_session.get()


def session_or_active(session):
    """`session`, or the active one when it is None."""
    if session is None:
        session = active_session.get()
    if session is None:
        raise GraphError("there is no session to run this in: pass session=, or do it inside of `with Session():`")
    return session
