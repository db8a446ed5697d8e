import CairnStore

extension MessageWriter {
    /// Writes the name of a save.
    mutating func saveID(_ id: SaveID) { block(id.bytes) }

    mutating func outcome(_ outcome: CommitOutcome) {
        switch outcome {
        case .saved: integer(UInt8(1))
        case .notSaved: integer(UInt8(2))
        case .forgotten: integer(UInt8(3))
        }
    }
}

extension MessageReader {
    mutating func saveID() throws(MessageDamage) -> SaveID {
        guard let id = SaveID(bytes: try block()) else {
            throw MessageDamage("these bytes are no name of a save")
        }
        return id
    }

    mutating func outcome() throws(MessageDamage) -> CommitOutcome {
        let number = try integer(UInt8.self)
        switch number {
        case 1: return .saved
        case 2: return .notSaved
        case 3: return .forgotten
        default: throw MessageDamage("\(number) is no outcome of a save")
        }
    }
}
