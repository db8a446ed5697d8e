import CairnStore
import Foundation

/// The names of the most recent named saves: a ring of entries in the metadata table, so that a
/// save writes only one name and the count.
struct NamedSaves {
    /// How many names are remembered.
    static let capacity: Int64 = 1_000

    private enum Name {
        /// The number of named saves so far.
        static let count = "named saves"
        /// The greatest of the names that were overwritten.
        static let greatestForgotten = "greatest forgotten save"
        static func id(_ index: Int64) -> String { "named save \(index)" }
    }

    let record: StoreRecord

    /// Records a name. After ``capacity`` names, it overwrites the oldest one.
    func add(_ id: SaveID) throws(StoreError) {
        let count = try count()
        let forgotten = try self.id(Name.greatestForgotten)
        if let forgotten, id <= forgotten {
            var greatest = forgotten
            for index in 0..<min(count, Self.capacity) {
                greatest = max(greatest, try self.id(Name.id(index)) ?? greatest)
            }
            throw .saveNameTooSmall(record.transaction.location, greatest: greatest)
        }
        let entry = Name.id(count % Self.capacity)
        if count >= Self.capacity {
            guard let oldest = try self.id(entry) else { throw record.corrupt(entry) }
            let greatest = max(forgotten ?? oldest, oldest)
            try record.set(.data(Data(greatest.bytes)), Name.greatestForgotten)
        }
        try record.set(.data(Data(id.bytes)), entry)
        try record.set(.integer(count + 1), Name.count)
    }

    /// Returns whether the save with this name was committed, as far as the store's records tell.
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        for index in 0..<min(try count(), Self.capacity) {
            if try self.id(Name.id(index)) == id { return .saved }
        }
        return SaveRecord.outcome(
            ofUnrecorded: id, greatestForgotten: try self.id(Name.greatestForgotten))
    }

    /// Writes the count with its present value. This is a write that changes nothing.
    func rewrite() throws(StoreError) { try record.set(.integer(try count()), Name.count) }

    private func count() throws(StoreError) -> Int64 {
        switch try record.value(Name.count) {
        case nil: return 0
        case .integer(let count)? where (0..<Int64.max).contains(count): return count
        default: throw record.corrupt(Name.count)
        }
    }

    private func id(_ entry: String) throws(StoreError) -> SaveID? {
        guard let value = try record.value(entry) else { return nil }
        guard case .data(let bytes) = value, let id = SaveID(bytes: bytes) else {
            throw record.corrupt(entry)
        }
        return id
    }
}
