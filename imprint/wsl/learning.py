"""What learning needs of registered distributions: their stores, and their announced turns."""

from imprint.base.paths import Environment
from imprint.learn import SessionState
from imprint.wsl.context import STATE_FOLDER, Distribution, by_distribution, paths_of
from imprint.wsl.profile import Profile, load_profiles
from imprint.wsl.windows import share_of


def session_states(environment: Environment, *profiles: Profile) -> list[SessionState]:
    """The `session-state` of these homes (of every registered one), in its path context.

    Looking starts a distribution that does not run, which takes seconds. One that is gone has
    none; `imprint doctor` says so.
    """
    share = share_of(environment)
    found = []
    for profile in profiles or load_profiles(environment.layout(), tolerant=True):
        if profile.is_reachable:
            paths = paths_of(profile, share)
            state = f"{profile.real.rstrip('/')}/{STATE_FOLDER}"
            found.append(SessionState(paths.local(state), paths))
    return found


def announcing(environment: Environment) -> dict[str, Distribution]:
    """Whose Stop hooks may have announced turns, for `imprint.learn.drain_spool`."""
    return by_distribution(
        load_profiles(environment.layout(), tolerant=True), share_of(environment)
    )
