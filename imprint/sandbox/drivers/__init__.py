"""Programs that run beside Copilot inside its sandbox and do what a person or an editor does.

Each is started as `python -I -m imprint.sandbox.drivers.NAME ORDER`, is told what to do by one JSON
argument (`order.Order`), starts Copilot itself, and says on stdout what came of it
(`order.Report`). What they need beyond the core is in the `probes` extra.
"""
