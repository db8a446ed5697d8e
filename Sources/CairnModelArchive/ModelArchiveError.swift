import CairnModel

/// Why bytes could not be read as an archived model.
public typealias ModelArchiveError = ArchiveError
