import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The information that is needed to decode the bytes of a message.
struct MessageContext: Sendable {
    /// The location that errors name.
    var location: StoreLocation
    /// The layouts of the model that both sides know, or `nil` before a store is opened.
    var layouts: RowLayouts?
    /// The number of the store on this side.
    var store: StoreNumber
}

/// Reads a message from beginning to end. For any bytes, reading either returns a value or throws an error.
struct MessageReader {
    private let bytes: [UInt8]
    private var offset = 0
    var context: MessageContext

    init(_ bytes: [UInt8], _ context: MessageContext) {
        self.bytes = bytes
        self.context = context
    }

    /// The number of bytes that were not read yet.
    var rest: Int { bytes.count - offset }

    /// Checks that the message ends here.
    func end() throws(MessageDamage) {
        if rest > 0 { throw MessageDamage("\(rest) bytes follow the end of the message") }
    }

    private mutating func take(_ count: UInt64) throws(MessageDamage) -> Range<Int> {
        guard count <= UInt64(rest) else {
            throw MessageDamage("it ends \(count - UInt64(rest)) bytes too early")
        }
        defer { offset += Int(count) }
        return offset..<offset + Int(count)
    }

    mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type
    ) throws(MessageDamage) -> T {
        let range = try take(UInt64(MemoryLayout<T>.size))
        return bytes.withUnsafeBytes {
            T(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: type))
        }
    }

    mutating func flag() throws(MessageDamage) -> Bool {
        let byte = try integer(UInt8.self)
        guard byte <= 1 else { throw MessageDamage("\(byte) is neither yes nor no") }
        return byte == 1
    }

    /// Reads a nonnegative number that can be the count of an array.
    mutating func natural() throws(MessageDamage) -> Int {
        let number = try integer(UInt64.self)
        guard let natural = Int(exactly: number) else {
            throw MessageDamage("the number \(number) is too large")
        }
        return natural
    }

    mutating func block() throws(MessageDamage) -> [UInt8] {
        let count = try integer(UInt64.self)
        return Array(bytes[try take(count)])
    }

    mutating func text() throws(MessageDamage) -> String {
        guard let text = String(validating: try block(), as: UTF8.self) else {
            throw MessageDamage("a text is not UTF-8")
        }
        return text
    }

    mutating func optional<T>(
        _ read: (inout MessageReader) throws(MessageDamage) -> T
    ) throws(MessageDamage) -> T? {
        try flag() ? try read(&self) : nil
    }

    /// Reads a list whose elements have at least one byte each. A false count therefore reserves no memory
    /// for elements that do not exist.
    mutating func list<T>(
        _ read: (inout MessageReader) throws(MessageDamage) -> T
    ) throws(MessageDamage) -> [T] {
        let count = try natural()
        guard count <= rest else { throw MessageDamage("a list is longer than its message") }
        var values: [T] = []
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    mutating func id() throws(MessageDamage) -> ObjectID {
        let root = EntityNumber(try integer(UInt16.self))
        let entity = EntityNumber(try integer(UInt16.self))
        return ObjectID(
            store: context.store, rootEntity: root, entity: entity, key: try integer(Int64.self))
    }

    mutating func row() throws(MessageDamage) -> Row {
        try rows(count: 1)[row: 0]
    }

    mutating func batch() throws(MessageDamage) -> RowBatch {
        if try flag() {
            return RowBatch(
                ids: try list { reader throws(MessageDamage) in try reader.id() })
        }
        return try rows(count: try natural())
    }

    /// Reads consecutive packed rows and checks each against its layout.
    private mutating func rows(count: Int) throws(MessageDamage) -> RowBatch {
        guard let layouts = context.layouts else { throw MessageDamage("no store is open") }
        guard count <= rest / RowLayout.headerByteCount else {
            throw MessageDamage("there are more rows than bytes for them")
        }
        var writer = RowWriter(store: context.store)
        for _ in 0..<count {
            let length = try integer(UInt32.self)
            // The length is part of the row.
            offset -= MemoryLayout<UInt32>.size
            let range = try take(UInt64(length))
            let damage: RowDamage? = bytes.withUnsafeBytes { all in
                do throws(RowDamage) {
                    try writer.append(
                        bytes: UnsafeRawBufferPointer(rebasing: all[range]), checkedBy: layouts)
                    return nil
                } catch {
                    return error
                }
            }
            guard let damage else { continue }
            if case .unknownEntity(let number) = damage {
                throw MessageDamage("\(damage)", unknownEntity: number)
            }
            throw MessageDamage("\(damage)")
        }
        return writer.takeBatch()
    }

    mutating func relationship() throws(MessageDamage) -> Relationship {
        let entity = EntityNumber(try integer(UInt16.self))
        let name = try text()
        guard let found = context.layouts?.model.entity(numbered: entity)?.relationship(named: name)
        else { throw MessageDamage("the model has no such relationship") }
        return found
    }

    /// Reads a relationship whose members can be requested from a snapshot.
    mutating func persistentToMany() throws(MessageDamage) -> Relationship {
        let found = try relationship()
        guard found.isToMany, !found.isTransient else {
            throw MessageDamage("\(found.name) is no to-many relationship that is stored")
        }
        return found
    }

    mutating func values() throws(MessageDamage) -> [String: MetadataValue] {
        let block = try block()
        guard case .dictionary(let values)? = block.withUnsafeBytes(MetadataCodec.decode) else {
            throw MessageDamage("values of the metadata cannot be read")
        }
        return values
    }
}
