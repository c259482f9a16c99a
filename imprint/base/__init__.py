"""What every room may know: errors, results, paths, configuration, log."""
