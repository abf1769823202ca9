"""What operators do with manifests. Imports ``manifest`` and below; never a profile, a plan, or a rule."""
