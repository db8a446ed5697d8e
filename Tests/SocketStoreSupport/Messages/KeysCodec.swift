import CairnModel

extension MessageWriter {
    /// Writes the number of requested keys by entity.
    mutating func keyCounts(_ counts: [EntityNumber: Int]) {
        list(counts) { writer, entry in
            writer.integer(entry.key.rawValue)
            writer.integer(Int64(entry.value))
        }
    }

    /// Writes ranges of keys by entity.
    mutating func keys(_ keys: [EntityNumber: Range<Int64>]) {
        list(keys) { writer, entry in
            writer.integer(entry.key.rawValue)
            writer.integer(entry.value.lowerBound)
            writer.integer(entry.value.upperBound)
        }
    }
}

extension MessageReader {
    mutating func keyCounts() throws(MessageDamage) -> [EntityNumber: Int] {
        let counts = try list { reader throws(MessageDamage) in
            (EntityNumber(try reader.integer(UInt16.self)), try reader.natural())
        }
        return Dictionary(counts, uniquingKeysWith: { first, _ in first })
    }

    mutating func keys() throws(MessageDamage) -> [EntityNumber: Range<Int64>] {
        let ranges = try list { reader throws(MessageDamage) in
            (
                EntityNumber(try reader.integer(UInt16.self)), try reader.integer(Int64.self),
                try reader.integer(Int64.self)
            )
        }
        var keys: [EntityNumber: Range<Int64>] = [:]
        for (entity, first, end) in ranges {
            guard first <= end else { throw MessageDamage("a range of keys ends before it begins") }
            keys[entity] = first..<end
        }
        return keys
    }
}
