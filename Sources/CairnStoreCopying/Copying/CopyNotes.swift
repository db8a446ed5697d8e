import CairnModel

/// What is known of the rows that a copy has written so far.
struct CopyNotes {
    /// The values that are `nil` in the copy because the files with their bytes are missing.
    var missingValues: [MissingExternalValue] = []
    /// The names of the files of external values that the copy shares with the source.
    var externalNames: Set<String> = []
    /// What the objects and pairs that were written come to. `nil` if nobody asks.
    var sums: ContentSums?
    /// The relationships whose pairs or positions the copy was told, each once.
    var toldRelationships: [Relationship] = []
}
