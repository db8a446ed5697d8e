import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Encodes the transactions of a history as bytes, for engines that store records of their own.
///
/// Entities and properties are identified by name, so the bytes have the same meaning with every model
/// that can open the store. docs/formats/history.md describes the form.
package struct HistoryCodec: Sendable {
    /// The form of the bytes. No other form exists.
    fileprivate static let version: UInt8 = 1

    private let model: ManagedObjectModel
    private let store: StoreNumber
    /// The identifier of the store.
    package let storeID: String

    /// - Parameters:
    ///   - model: the model that the store is opened with.
    ///   - store: the number in the IDs of the store's objects.
    ///   - storeID: the identifier of the store.
    package init(_ model: ManagedObjectModel, store: StoreNumber, storeID: String) {
        self.model = model
        self.store = store
        self.storeID = storeID
    }

    // MARK: Writing

    /// Changes that differ only in their objects and values: the kind, the entity and the changed
    /// properties.
    private struct Shape: Hashable {
        let type: PersistentHistoryChangeType
        let entity: EntityNumber
        let properties: Set<String>

        init(_ change: PersistentHistoryChange) {
            type = change.changeType
            entity = change.changedObjectID.entity
            properties = change.updatedProperties
        }
    }

    /// Returns the transaction as bytes, without a checksum.
    package func encode(_ transaction: PersistentHistoryTransaction) -> [UInt8] {
        var bytes = [Self.version]
        bytes.append(number: transaction.position.number)
        bytes.append(number: Int64(bitPattern: transaction.position.mark))
        let time = transaction.timestamp.timeIntervalSinceReferenceDate
        bytes.append(number: Int64(bitPattern: time.bitPattern))
        for text in [transaction.author, transaction.contextName] {
            bytes.append(text == nil ? 0 : 1)
            if let text { bytes.append(text: text) }
        }
        bytes.append(text: transaction.processID)
        bytes.append(text: transaction.bundleID)
        var rest = transaction.changes[...]
        while let first = rest.first {
            let shape = Shape(first)
            let run = rest.prefix { $0.changeType == shape.type && Shape($0) == shape }
            append(run, of: shape, to: &bytes)
            rest = rest.dropFirst(run.count)
        }
        return bytes
    }

    private func append(
        _ run: ArraySlice<PersistentHistoryChange>, of shape: Shape, to bytes: inout [UInt8]
    ) {
        bytes.append(UInt8(truncatingIfNeeded: shape.type.rawValue))
        bytes.append(text: model.entity(numbered: shape.entity)?.name ?? "")
        bytes.append(count: shape.properties.count)
        for name in shape.properties.sorted() { bytes.append(text: name) }
        bytes.append(count: run.count)
        for change in run {
            bytes.append(count: Int(truncatingIfNeeded: change.changedObjectID.key))
            guard shape.type == .delete else { continue }
            let values = CompositeCodec.encode(change.tombstone)
            bytes.append(count: change.tombstone.isEmpty ? 0 : values.count)
            if !change.tombstone.isEmpty { bytes += values }
        }
    }

    // MARK: Reading

    /// Reads only the position of a transaction. Returns `nil` if the bytes are damaged.
    package static func position(in bytes: UnsafeRawBufferPointer) -> HistoryPosition? {
        var reader = ByteReader(bytes)
        return reader.position()
    }

    /// Reads a transaction. Changes of entities that the model does not have are left out. Returns
    /// `nil` if the bytes are damaged.
    package func decode(_ bytes: UnsafeRawBufferPointer) -> PersistentHistoryTransaction? {
        var reader = ByteReader(bytes)
        guard let position = reader.position(), let time = reader.double(),
            let author = reader.optionalText(), let contextName = reader.optionalText(),
            let process = reader.text(), let bundle = reader.text()
        else { return nil }
        var transaction = PersistentHistoryTransaction(
            position: position, storeID: storeID,
            timestamp: Date(timeIntervalSinceReferenceDate: time), author: author,
            contextName: contextName, processID: process, bundleID: bundle)
        while reader.rest > 0 {
            guard appendRun(from: &reader, to: &transaction.changes) else { return nil }
        }
        return transaction
    }

    /// Returns `false` if the bytes are damaged.
    private func appendRun(
        from reader: inout ByteReader, to changes: inout [PersistentHistoryChange]
    ) -> Bool {
        guard
            let type = reader.integer(UInt8.self)
                .flatMap({ PersistentHistoryChangeType(rawValue: Int($0)) }),
            let entityName = reader.text(), let propertyCount = reader.count(),
            // Each name takes at least one byte.
            propertyCount <= reader.rest
        else { return false }
        var properties: Set<String> = []
        for _ in 0..<propertyCount {
            guard let name = reader.text() else { return false }
            properties.insert(name)
        }
        guard let count = reader.count(), count <= reader.rest else { return false }
        let entity = model.entity(named: entityName)
        for _ in 0..<count {
            guard let key = reader.count() else { return false }
            var tombstone: [String: Value] = [:]
            if type == .delete {
                guard let length = reader.count(), let values = reader.take(length) else {
                    return false
                }
                if length > 0 {
                    guard let decoded = CompositeCodec.decode(Data(values)) else { return false }
                    tombstone = decoded
                }
            }
            guard let entity else { continue }
            changes.append(
                PersistentHistoryChange(
                    type,
                    ObjectID(
                        store: store, rootEntity: entity.rootEntity.number, entity: entity.number,
                        key: Int64(key)),
                    updatedProperties: properties, tombstone: tombstone))
        }
        return true
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int64) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a number that is not negative, in as few bytes as possible: seven bits each, the lowest
    /// first. The highest bit is set in all bytes but the last.
    fileprivate mutating func append(count: Int) {
        var rest = UInt64(truncatingIfNeeded: count)
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    fileprivate mutating func append(text: String) {
        append(count: text.utf8.count)
        self += text.utf8
    }
}

extension ByteReader {
    fileprivate mutating func position() -> HistoryPosition? {
        guard integer(UInt8.self) == HistoryCodec.version, let number = integer(Int64.self),
            (0...HistoryPosition.mostNumber).contains(number), let mark = integer(UInt64.self)
        else { return nil }
        return HistoryPosition(number: number, mark: mark)
    }

    /// Reads a number of at most nine bytes. Returns `nil` for a longer one.
    fileprivate mutating func count() -> Int? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = integer(UInt8.self) else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int(exactly: number) }
        }
        return nil
    }

    fileprivate mutating func text() -> String? {
        count().flatMap { take($0) }.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns `nil` if the bytes are damaged, and `.some(nil)` for a text that is missing.
    fileprivate mutating func optionalText() -> String?? {
        switch integer(UInt8.self) {
        case 0: .some(nil)
        case 1: text().map(Optional.some)
        default: nil
        }
    }
}
