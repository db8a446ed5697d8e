import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Reads the sections of a file into a store. Everything is checked, because a file may be malicious.
struct SectionReader {
    private let entities: StoredEntities
    private let layouts: RowLayouts
    private let number: StoreNumber
    private let location: StoreLocation
    /// The hierarchies and relationships whose sections were read.
    private var finished: Set<String> = []
    /// The offset of the current section.
    private var offset = 0

    /// - Parameter entities: The entities to which the numbers in the file refer.
    init(_ entities: StoredEntities, of store: StoreBuilder) {
        self.entities = entities
        layouts = store.layouts
        number = store.number
        location = store.location
    }

    /// Reads the sections between an offset and the checksum of the whole file.
    ///
    /// - Throws: `.corrupt`, with the offset of the section.
    mutating func read(
        _ bytes: [UInt8], from start: Int, into store: inout StoreBuilder
    ) throws(StoreError) {
        let failure = bytes.withUnsafeBytes { bytes -> StoreError? in
            var reader = ByteReader(
                UnsafeRawBufferPointer(rebasing: bytes.dropLast(BinaryHead.sealByteCount)))
            reader.skip(start)
            do throws(StoreError) {
                while reader.rest > 0 {
                    offset = reader.offset
                    try readSection(&reader, &store)
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private var position: String { "the section at byte \(offset)" }

    private func damage(_ detail: String) -> StoreError {
        .corrupt(location, location: position, detail: detail)
    }

    private mutating func readSection(
        _ reader: inout ByteReader, _ store: inout StoreBuilder
    ) throws(StoreError) {
        guard let kind = reader.integer(UInt32.self), let entity = reader.integer(UInt32.self),
            let count = reader.integer(UInt64.self).flatMap({ Int(exactly: $0) }),
            let byteCount = reader.integer(UInt64.self).flatMap({ Int(exactly: $0) }),
            let content = reader.take(byteCount)
        else { throw damage("the section is longer than the file") }
        guard let entity = self.entity(numbered: Int(entity)) else {
            throw damage("the section's entity is not in the model")
        }
        switch SectionKind(rawValue: kind) {
        case .rows: try readRows(of: entity, count, content, &store)
        case .pairs: try readPairs(of: entity, count, content, &store)
        case .order: try readOrder(of: entity, count, content, &store)
        case nil: throw damage("the section has the unknown kind \(kind)")
        }
    }

    /// Returns the entity with a number in the file. Numbers start at 1.
    private func entity(numbered number: Int) -> Entity? {
        guard entities.names.indices.contains(number - 1) else { return nil }
        return layouts.model.entity(named: entities.names[number - 1])
    }

    // MARK: Rows

    /// The number of rows that are checked and loaded into the table at a time. It is small enough for the
    /// rows to stay in the processor's cache during both steps.
    private static let rowsAtATime = 1024

    private mutating func readRows(
        of root: Entity, _ count: Int, _ content: UnsafeRawBufferPointer,
        _ store: inout StoreBuilder
    ) throws(StoreError) {
        guard finished.insert("\(root.number.rawValue)").inserted else {
            throw damage("the section is the second one with rows of “\(root.name)”")
        }
        var writer = RowWriter(store: number)
        var (start, found, open) = (0, 0, 0)
        while start < content.count {
            guard let row = Self.row(in: content, at: start) else {
                throw damage("a row is longer than its section")
            }
            do {
                try entities.append(row, to: &writer)
            } catch .otherLayout {
                throw BinaryCodec.otherLayout(at: location)
            } catch {
                throw damage("\(error)")
            }
            start += row.count
            open += 1
            if open == Self.rowsAtATime {
                try store.load(writer.takeBatch(), of: root, from: position)
                (found, open) = (found + open, 0)
            }
        }
        try store.load(writer.takeBatch(), of: root, from: position)
        guard found + open == count else {
            throw damage("the section should have \(count) rows, but has \(found + open)")
        }
    }

    /// Returns the bytes of the row at an offset, or `nil` if the length of the row is invalid.
    @inline(__always) private static func row(
        in content: UnsafeRawBufferPointer, at start: Int
    ) -> UnsafeRawBufferPointer? {
        let rest = content.count - start
        guard rest >= 4 else { return nil }
        let length = Int(
            UInt32(littleEndian: content.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        guard length >= 4, length <= rest else { return nil }
        return UnsafeRawBufferPointer(rebasing: content[start..<start + length])
    }

    // MARK: Pairs and order keys

    private mutating func readPairs(
        of entity: Entity, _ count: Int, _ content: UnsafeRawBufferPointer,
        _ store: inout StoreBuilder
    ) throws(StoreError) {
        var reader = ByteReader(content)
        let relationship = try relationship(of: entity, &reader)
        guard relationship.isManyToMany, relationship.ownsPairs else {
            throw damage("the store keeps no pairs of “\(relationship.name)”")
        }
        try checkRest(reader, count, SectionKind.pairByteCount)
        var last = KeyPair(.min, .min)
        for _ in 0..<count {
            guard let owner = reader.integer(Int64.self), let member = reader.integer(Int64.self),
                let orderKey = reader.integer(Int64.self),
                let inverseOrderKey = reader.integer(Int64.self),
                let flags = reader.integer(UInt64.self)
            else { return }
            let pair = KeyPair(owner, member)
            guard last < pair, flags <= SectionKind.allFlags else {
                throw damage(
                    "the pairs are not sorted: a pair should come after the pair of the keys"
                        + " \(last.first) and \(last.second)")
            }
            last = pair
            let change = PairChange(
                .insert, relationship, owner: id(relationship.entity, owner),
                member: id(relationship.destination, member),
                orderKey: flags & SectionKind.hasOrderKey == 0 ? nil : orderKey,
                inverseOrderKey:
                    flags & SectionKind.hasInverseOrderKey == 0 ? nil : inverseOrderKey)
            try store.add(change, from: position)
        }
    }

    private mutating func readOrder(
        of entity: Entity, _ count: Int, _ content: UnsafeRawBufferPointer,
        _ store: inout StoreBuilder
    ) throws(StoreError) {
        var reader = ByteReader(content)
        let relationship = try relationship(of: entity, &reader)
        guard !relationship.isManyToMany, relationship.isOrdered else {
            throw damage("“\(relationship.name)” has no order keys of its own")
        }
        try checkRest(reader, count, SectionKind.orderEntryByteCount)
        var last = Int64.min
        for _ in 0..<count {
            guard let owner = reader.integer(Int64.self), let member = reader.integer(Int64.self),
                let orderKey = reader.integer(Int64.self)
            else { return }
            guard last < member else {
                throw damage(
                    "the order keys are not sorted: one should come after the order key of the key"
                        + " \(last)")
            }
            last = member
            let change = PairChange(
                .insert, relationship, owner: id(relationship.entity, owner),
                member: id(relationship.destination, member), orderKey: orderKey)
            try store.add(change, from: position)
        }
    }

    private mutating func relationship(
        of entity: Entity, _ reader: inout ByteReader
    ) throws(StoreError) -> Relationship {
        guard let count = reader.integer(UInt64.self).flatMap({ Int(exactly: $0) }),
            let name = reader.take(count).flatMap({ String(validating: $0, as: UTF8.self) }),
            let relationship = entity.relationship(named: name), relationship.isToMany,
            !relationship.isTransient
        else { throw damage("the section's to-many relationship is not in the model") }
        guard finished.insert("\(entity.number.rawValue) \(name)").inserted else {
            throw damage("the section is the second one of “\(entity.name).\(name)”")
        }
        reader.skip((8 - count % 8) % 8)
        return relationship
    }

    private func checkRest(
        _ reader: ByteReader, _ count: Int, _ byteCount: Int
    ) throws(StoreError) {
        let (wanted, overflow) = count.multipliedReportingOverflow(by: byteCount)
        guard !overflow, wanted == reader.rest else {
            throw damage("the length of the section is not the length of \(count) pairs")
        }
    }

    private func id(_ entity: Entity, _ key: Int64) -> ObjectID {
        let root = entity.rootEntity.number
        return ObjectID(store: number, rootEntity: root, entity: root, key: key)
    }
}
