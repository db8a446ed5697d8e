import CairnModel
import CairnStore
import Foundation

/// Puts the bytes of one message together: little-endian numbers, and blocks after their length.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// What every request begins with.
    ///
    /// - Parameters:
    ///   - token: the server's number for the opened store. 0 while there is none.
    ///   - released: snapshots and cursors that the client does not use any more.
    init(_ operation: SocketOperation, of token: UInt64, releasing released: [UInt64] = []) {
        integer(operation.rawValue)
        integer(token)
        list(released) { $0.integer($1) }
    }

    /// Begins an answer.
    init() {}

    mutating func integer<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func block(_ block: some Collection<UInt8>) {
        integer(UInt64(block.count))
        bytes.append(contentsOf: block)
    }

    mutating func text(_ text: String) { block(Array(text.utf8)) }

    mutating func optional<T>(_ value: T?, _ write: (inout MessageWriter, T) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func list<T>(_ values: some Collection<T>, _ write: (inout MessageWriter, T) -> Void) {
        integer(UInt64(values.count))
        for value in values { write(&self, value) }
    }

    /// An ID without its store: each side has a number of its own for the store.
    mutating func id(_ id: ObjectID) {
        integer(id.rootEntity.rawValue)
        integer(id.entity.rawValue)
        integer(id.key)
    }

    /// A packed row, which begins with its length.
    mutating func row(_ row: Row) { row.withBytes { bytes.append(contentsOf: $0) } }

    /// Rows, or IDs alone.
    mutating func batch(_ batch: RowBatch) {
        flag(batch.holdsIDsOnly)
        if batch.holdsIDsOnly {
            list(batch.ids) { $0.id($1) }
        } else {
            integer(UInt64(batch.count))
            for index in batch.rowIndices { row(batch[row: index]) }
        }
    }

    mutating func relationship(_ relationship: Relationship) {
        integer(relationship.entity.number.rawValue)
        text(relationship.name)
    }

    mutating func values(_ values: [String: MetadataValue]) {
        block(MetadataCodec.encode(.dictionary(values)))
    }
}
