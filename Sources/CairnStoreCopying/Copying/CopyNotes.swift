import CairnModel

/// Facts about the rows that a copy has written so far.
struct CopyNotes {
    /// The values that are `nil` in the copy because the files with their bytes are missing.
    var missingValues: [MissingExternalValue] = []
    /// The names of the files of external values that the copy shares with the source.
    var externalNames: Set<String> = []
    /// The sums of the objects and pairs that were written, or `nil` if they are not needed.
    var sums: ContentSums?
    /// The relationships whose pairs or positions were saved to the copy, each once.
    var writtenRelationships: [Relationship] = []
}
