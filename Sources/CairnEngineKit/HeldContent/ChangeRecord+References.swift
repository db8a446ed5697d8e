import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The keys of objects, by the number of their root entity.
typealias KeysByRoot = [EntityNumber: Set<Int64>]

/// Support for objects that are identified by references. Such a record says which reference each
/// number in its rows stands for, because other processes have other numbers for the same
/// references.
extension ChangeRecord {
    /// Records which references the numbers in the record stand for. Numbers without a reference
    /// get one.
    ///
    /// - Parameter keys: all objects that occur in the record.
    mutating func describe(
        _ references: StoreReferences, of keys: KeysByRoot, in model: ManagedObjectModel
    ) {
        var described: [String: MetadataValue] = [:]
        for (root, keys) in keys {
            guard let table = references.table(of: root), let entity = model.entity(numbered: root)
            else { continue }
            table.adopt(keys, isReserved: false)
            described[entity.name] = .array(
                keys.sorted().flatMap { key in
                    [.integer(key), table.reference(of: key)?.stored ?? .array([])]
                })
        }
        self[.references] = .dictionary(described)
    }

    /// Returns this process's numbers for the numbers in the record. Returns `nil` if the record is
    /// damaged.
    func numbers(
        in references: StoreReferences, of model: ManagedObjectModel
    ) throws(StoreError) -> RecordNumbers? {
        var numbers: [EntityNumber: [Int64: Int64]] = [:]
        for (name, value) in dictionary(.references) {
            guard let root = model.entity(named: name),
                let table = references.table(of: root.number), let list = value.list,
                list.count.isMultiple(of: 2)
            else { return nil }
            var (theirs, known) = ([Int64](), [ReferenceObject]())
            for index in stride(from: 0, to: list.count, by: 2) {
                guard let number = list[index].integer,
                    let reference = ReferenceObject(stored: list[index + 1], kind: table.kind)
                else { return nil }
                theirs.append(number)
                known.append(reference)
            }
            numbers[root.number] = Dictionary(
                zip(theirs, try table.intern(known)), uniquingKeysWith: { first, _ in first })
        }
        return RecordNumbers(references: references, numbers: numbers)
    }
}

extension KeysByRoot {
    mutating func add(_ id: ObjectID) { self[id.rootEntity, default: []].insert(id.key) }

    /// Adds the row's object, and the objects that its to-one relationships lead to.
    mutating func add(_ row: Row, _ layout: RowLayout) {
        add(row.id)
        for slot in layout.slots where slot.kind == .toOne && !row.isNull(slot) {
            add(row.objectID(slot))
        }
    }
}

extension ReferenceObject {
    /// The reference as records store it.
    fileprivate var stored: MetadataValue {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        case .uuid(let uuid): .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        }
    }

    fileprivate init?(stored: MetadataValue, kind: Kind) {
        switch (kind, stored) {
        case (.text, .string(let text)): self = .text(text)
        case (.uuid, .data(let data)) where data.count == 16:
            self = .uuid(
                UUID(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        default: return nil
        }
    }
}
