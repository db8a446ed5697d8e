// Exported because this module's API uses its types.
@_exported import CairnEngineKit
