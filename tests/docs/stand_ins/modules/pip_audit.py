"""Stands in for pip-audit, whose service is elsewhere: it could ask about no package."""

print('{"dependencies": []}')
