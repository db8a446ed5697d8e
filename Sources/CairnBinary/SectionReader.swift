import CairnAtomicStore
import CairnModel
import CairnStore

/// Reads sections into a table. Checks everything: a file may be made to harm.
struct SectionReader {
    private let layouts: RowLayouts
    /// `nil` if the file numbers its entities as the model does.
    private let numbering: StoreNumbering?
    private let references: ReferenceCheck
    /// The relationships whose pairs or order were read.
    private var finished: Set<String> = []
    private(set) var table: RowTable
    private let store: StoreNumber
    private let location: StoreLocation
    /// Where the section begins that is being read.
    private var offset = 0

    init(
        _ table: RowTable, numberedBy numbering: StoreNumbering?, store: StoreNumber,
        location: StoreLocation
    ) {
        self.numbering = numbering
        layouts = table.schema.layouts
        references = ReferenceCheck(table.schema.layouts)
        self.table = table
        self.store = store
        self.location = location
    }

    /// Reads the sections between an offset and the checksum of the whole.
    ///
    /// - Throws: `.corrupt`, with where the section begins.
    mutating func read(_ bytes: [UInt8], from start: Int) throws(StoreError) {
        let damage = bytes.withUnsafeBytes { bytes -> String? in
            var reader = ByteReader(
                UnsafeRawBufferPointer(rebasing: bytes.dropLast(BinaryHead.sealByteCount)))
            reader.skip(start)
            do throws(SectionDamage) {
                while reader.rest > 0 {
                    offset = reader.offset
                    try readSection(&reader)
                }
                return nil
            } catch {
                return error.detail
            }
        }
        if let damage {
            throw .corrupt(location, place: "the section at byte \(offset)", detail: damage)
        }
    }

    /// What is wrong with a section.
    private struct SectionDamage: Error {
        let detail: String
    }

    private mutating func readSection(_ reader: inout ByteReader) throws(SectionDamage) {
        guard let kind = reader.integer(UInt32.self), let entity = reader.integer(UInt32.self),
            let count = reader.integer(UInt64.self).flatMap({ Int(exactly: $0) }),
            let byteCount = reader.integer(UInt64.self).flatMap({ Int(exactly: $0) }),
            let content = reader.take(byteCount)
        else { throw SectionDamage(detail: "it is longer than the file") }
        guard let number = UInt16(exactly: entity), let entity = self.entity(numbered: number)
        else { throw SectionDamage(detail: "it is of an entity that is not in the model") }
        switch SectionKind(rawValue: kind) {
        case .rows: try readRows(of: entity, count, content)
        case .pairs: try readPairs(of: entity, count, content)
        case .order: try readOrder(of: entity, count, content)
        case nil: throw SectionDamage(detail: "there is no kind \(kind)")
        }
    }

    /// The entity that the file gives that number.
    private func entity(numbered number: UInt16) -> Entity? {
        let modelNumber = numbering.map { $0.modelNumber(of: StoreEntityNumber(number)) }
        return layouts.model.entity(numbered: modelNumber ?? EntityNumber(number))
    }

    // MARK: Rows

    /// Rows that are checked and put into the table at a time: few enough that they are in the
    /// processor's cache from the first look at them to the last.
    private static let rowsAtATime = 1024

    private mutating func readRows(
        of root: Entity, _ count: Int, _ content: UnsafeRawBufferPointer
    ) throws(SectionDamage) {
        guard table.rows(root: root.number).isEmpty else {
            throw SectionDamage(detail: "it is the second one with rows of “\(root.name)”")
        }
        var writer = RowWriter(store: store)
        var (start, open) = (0, 0)
        while start < content.count {
            guard let row = Self.row(in: content, at: start) else {
                throw SectionDamage(detail: "a row is longer than its section")
            }
            do throws(RowDamage) {
                if let numbering {
                    try writer.append(bytes: row, numberedBy: numbering, checkedBy: layouts)
                } else {
                    try writer.append(bytes: row, checkedBy: layouts)
                }
            } catch {
                throw SectionDamage(detail: "\(error)")
            }
            start += row.count
            open += 1
            if open == Self.rowsAtATime {
                try load(writer.takeBatch(), root)
                open = 0
            }
        }
        try load(writer.takeBatch(), root)
        let found = table.rows(root: root.number).count
        guard found == count else {
            throw SectionDamage(detail: "it says \(count) rows and has \(found)")
        }
    }

    /// The bytes of the row that begins there; nil where it ends behind them all, or nowhere.
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

    /// Adds rows behind those that the table has of the root entity.
    private mutating func load(_ rows: RowBatch, _ root: Entity) throws(SectionDamage) {
        var last = table.highestKey(root: root.number)
        var concrete: EntityNumber?
        for index in rows.rowIndices {
            let row = rows.pointer(at: index)
            if row.entity != concrete, layouts.layout(of: row.entity)?.entity.isAbstract == false {
                concrete = row.entity
            }
            guard row.rootEntity == root.number, row.key > last, row.version > 0,
                row.entity == concrete
            else { throw SectionDamage(detail: "a row has no place behind key \(last)") }
            if let fault = references.fault(in: row) {
                throw SectionDamage(detail: "in the row with key \(row.key), \(fault)")
            }
            last = row.key
        }
        table.load(rows, root: root.number)
    }

    // MARK: Pairs and places

    private mutating func readPairs(
        of entity: Entity, _ count: Int, _ content: UnsafeRawBufferPointer
    ) throws(SectionDamage) {
        var reader = ByteReader(content)
        let relationship = try relationship(of: entity, &reader)
        guard relationship.isManyToMany, relationship.ownsPairs else {
            throw SectionDamage(detail: "“\(relationship.name)” owns no pairs")
        }
        try checkRest(reader, count, SectionKind.pairByteCount)
        let check = PairCheck(relationship, in: table.schema)
        var last = KeyPair(.min, .min)
        for _ in 0..<count {
            guard let owner = reader.integer(Int64.self), let member = reader.integer(Int64.self),
                let orderKey = reader.integer(Int64.self),
                let inverseOrderKey = reader.integer(Int64.self),
                let flags = reader.integer(UInt64.self)
            else { return }
            let pair = KeyPair(owner, member)
            guard last < pair, flags <= SectionKind.allFlags else {
                throw SectionDamage(
                    detail: "a pair has no place behind that of keys \(last.first), \(last.second)")
            }
            last = pair
            try apply(
                relationship, check,
                PairPlace(
                    owner: owner, member: member,
                    orderKey: flags & SectionKind.hasOrderKey == 0 ? nil : orderKey,
                    inverseOrderKey:
                        flags & SectionKind.hasInverseOrderKey == 0 ? nil : inverseOrderKey))
        }
    }

    private mutating func readOrder(
        of entity: Entity, _ count: Int, _ content: UnsafeRawBufferPointer
    ) throws(SectionDamage) {
        var reader = ByteReader(content)
        let relationship = try relationship(of: entity, &reader)
        guard !relationship.isManyToMany, relationship.isOrdered else {
            throw SectionDamage(detail: "“\(relationship.name)” has no order of its own")
        }
        try checkRest(reader, count, SectionKind.placeByteCount)
        let check = PairCheck(relationship, in: table.schema)
        var last = Int64.min
        for _ in 0..<count {
            guard let owner = reader.integer(Int64.self), let member = reader.integer(Int64.self),
                let orderKey = reader.integer(Int64.self)
            else { return }
            guard last < member else {
                throw SectionDamage(detail: "a place has no place behind that of key \(last)")
            }
            last = member
            try apply(
                relationship, check,
                PairPlace(owner: owner, member: member, orderKey: orderKey))
        }
    }

    private mutating func relationship(
        of entity: Entity, _ reader: inout ByteReader
    ) throws(SectionDamage) -> Relationship {
        guard let count = reader.integer(UInt64.self).flatMap({ Int(exactly: $0) }),
            let name = reader.take(count).flatMap({ String(validating: $0, as: UTF8.self) }),
            let relationship = entity.relationship(named: name), relationship.isToMany,
            !relationship.isTransient
        else { throw SectionDamage(detail: "it is of a to-many that is not in the model") }
        guard finished.insert("\(entity.number.rawValue) \(name)").inserted else {
            throw SectionDamage(detail: "it is the second one of “\(entity.name).\(name)”")
        }
        reader.skip((8 - count % 8) % 8)
        return relationship
    }

    private func checkRest(
        _ reader: ByteReader, _ count: Int, _ byteCount: Int
    ) throws(SectionDamage) {
        let (wanted, overflow) = count.multipliedReportingOverflow(by: byteCount)
        guard !overflow, wanted == reader.rest else {
            throw SectionDamage(detail: "its length is not that of \(count) pairs")
        }
    }

    private mutating func apply(
        _ relationship: Relationship, _ check: PairCheck?, _ place: PairPlace
    ) throws(SectionDamage) {
        func id(_ entity: Entity, _ key: Int64) -> ObjectID {
            let root = entity.rootEntity.number
            return ObjectID(store: store, rootEntity: root, entity: root, key: key)
        }
        let pair = PairChange(
            .insert, relationship, owner: id(relationship.entity, place.owner),
            member: id(relationship.destination, place.member), orderKey: place.orderKey,
            inverseOrderKey: place.inverseOrderKey)
        guard let check else { throw SectionDamage(detail: "the model keeps no such pairs") }
        if let fault = table.add(pair, checkedBy: check) { throw SectionDamage(detail: fault) }
    }
}
