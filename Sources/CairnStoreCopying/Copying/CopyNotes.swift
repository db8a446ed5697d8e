import CairnModel

/// What is known of the rows that a copy has written so far.
struct CopyNotes {
    /// The values that are `nil` in the copy because the files with their bytes are missing.
    var missingValues: [MissingExternalValue] = []
    /// The names of the files of external values that the copy shares with the source.
    var externalNames: Set<String> = []
    /// The rows written of each entity, by its number in the copy.
    private(set) var rowCounts: [EntityNumber: Int] = [:]

    /// Counts one row of an entity.
    mutating func count(of entity: EntityNumber) { rowCounts[entity, default: 0] += 1 }
}
