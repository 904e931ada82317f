# Placeholder until the web shell lands: see web/.
