"""Event types of which nothing is learned, so that others can be counted as unknown.

All that Copilot 1.0.102 keeps on disk (`session-events.schema.json`), and what earlier releases
and other producers were seen to write.
"""

_BY_AREA: dict[str, str] = {
    "assistant": (
        "fusion_phase_completed fusion_phase_failed intent reasoning turn_end turn_start usage"
    ),
    "external_tool": "requested",
    "hook": "end start",
    "human_response": "recorded",
    "mcp": "oauth_recovery_completed",
    "model": "call_failure",
    "permission": (
        "assentDetected carriedForward completed contextualAuthorization messageAuthorization "
        "messageAuthorizationDegraded messageAuthorizationRead requested"
    ),
    "session": (
        "auto_mode_resolved autopilot_objective_changed binary_asset canvas.recorded "
        "canvas.removed compaction_start completion_receipt context_cleared error "
        "fusion_change_checkpoint fusion_commit_started fusion_completed fusion_handoff "
        "fusion_resolved fusion_route_failed handoff idle info mode_changed "
        "mode_notice_delivered model_change model_deselected permission_recovery "
        "permissions_changed plan_changed remote_steerable_changed "
        "request_body_compression_disabled schedule_cancelled schedule_created "
        "schedule_rearmed session_limits_changed task_complete title_changed truncation "
        "usage_checkpoint usage_info usage_record warning workspace_file_changed"
    ),
    "skill": "context_delivered context_delivered_ref invoked invoked_ref",
    "subagent": "completed configured deselected failed selected started",
    "system": "message notification",
    "tool": "execution_partial_result execution_progress user_requested",
    "tool_search": "activated",
}

SKIPPED = frozenset(
    ("abort", *(f"{area}.{name}" for area, names in _BY_AREA.items() for name in names.split()))
)
"""Known types that are passed over without being decoded."""
