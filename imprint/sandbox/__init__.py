"""A real Copilot in a scratch home: releases, scripted model, session, isolation."""
