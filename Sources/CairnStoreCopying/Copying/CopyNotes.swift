import CairnModel

/// What is known of the rows that a copy has written so far.
struct CopyNotes {
    /// The values that are `nil` in the copy because the files with their bytes are missing.
    var missingValues: [MissingExternalValue] = []
    /// The names of the files of external values that the copy shares with the source.
    var externalNames: Set<String> = []
    /// The rows written of each entity, by its number in the copy.
    private var rowCounts: [Int] = []

    /// Counts one row of an entity.
    mutating func count(of entity: EntityNumber) {
        let index = Int(entity.rawValue)
        if index >= rowCounts.count {
            rowCounts += Array(repeating: 0, count: index - rowCounts.count + 1)
        }
        rowCounts[index] += 1
    }

    /// Returns how many rows of an entity of the copy were written.
    func rowCount(of entity: EntityNumber) -> Int {
        let index = Int(entity.rawValue)
        return rowCounts.indices.contains(index) ? rowCounts[index] : 0
    }
}
