import CairnModel

/// The parts of all layouts that checking a row needs, stored contiguously so that a check involves
/// no reference counting.
struct RowChecks: Sendable {
    private struct Entity {
        let root: UInt16
        let endsOffset: Int
        let variableCount: Int
        /// The entity's range in ``toOnes``.
        let toOnes: Range<Int>
    }

    /// Indexed by entity number minus 1.
    private var entities: ContiguousArray<Entity> = []
    private var toOnes: ContiguousArray<RowLayout.Slot> = []
    /// The indices of each entity's variable slots, for errors.
    private var variableSlots: [[Int]] = []

    init(_ layouts: [RowLayout]) {
        for layout in layouts {
            let first = toOnes.count
            toOnes += layout.slots.filter { $0.kind == .toOne }
            entities.append(
                Entity(
                    root: layout.rootEntity.rawValue, endsOffset: layout.endsOffset,
                    variableCount: layout.variableCount, toOnes: first..<toOnes.count))
            variableSlots.append(
                layout.slots.filter(\.kind.isVariable).map { Int($0.index) })
        }
    }

    func check(_ bytes: UnsafeRawBufferPointer) throws(RowDamage) {
        try check(bytes, number: { $0 }, replace: { _, _ in })
    }

    /// Replaces the entity numbers in a row like ``renumber(_:of:by:)``, and checks the row with
    /// the new numbers. Does both in one pass, because every row that is read goes through this
    /// method.
    ///
    /// - Throws: every case of ``RowDamage``. Some of the numbers may have been replaced then.
    func renumberAndCheck(
        _ bytes: UnsafeMutableRawBufferPointer, by numbers: EntityNumberMap
    ) throws(RowDamage) {
        try check(UnsafeRawBufferPointer(bytes)) {
            numbers[$0]
        } replace: { offset, number in
            bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt16.self)
        }
    }

    /// - Parameters:
    ///   - number: returns the number to use for a number in the row.
    ///   - replace: called with the offset of each number in the row, and with the number to use.
    @inline(__always) private func check(
        _ bytes: UnsafeRawBufferPointer, number: (UInt16) -> UInt16,
        replace: (Int, UInt16) -> Void
    ) throws(RowDamage) {
        guard bytes.count >= RowLayout.headerByteCount,
            bytes.load(UInt32.self, at: 0) == bytes.count, bytes.count % 8 == 0
        else { throw .wrongLength }
        let stored = bytes.load(UInt16.self, at: 4)
        let own = number(stored)
        let index = Int(own) - 1
        guard entities.indices.contains(index) else { throw .unknownEntity(stored) }
        let entity = entities[index]
        guard number(bytes.load(UInt16.self, at: 6)) == entity.root else {
            throw .unknownEntity(stored)
        }
        try checkEnds(bytes, entity, index)
        replace(4, own)
        replace(6, entity.root)
        for toOneIndex in entity.toOnes {
            let slot = toOnes[toOneIndex]
            if Self.isNull(slot, in: bytes) { continue }
            let offset = Int(slot.offset) + 8
            let destination = number(bytes.load(UInt16.self, at: offset))
            let known = Int(destination) - 1
            guard entities.indices.contains(known),
                entities[known].root == slot.destinationRoot.rawValue
            else { throw .wrongDestination(slot: Int(slot.index)) }
            replace(offset, destination)
        }
    }

    /// Replaces the entity numbers in a row: its own, that of its root entity, and those of its
    /// to-one destinations. A number without a replacement becomes 0.
    ///
    /// Bytes that are too short for a row of the entity are not changed.
    ///
    /// - Parameters:
    ///   - entity: the number of the row's entity in the model.
    ///   - numbers: maps the old numbers to the new ones.
    func renumber(
        _ bytes: UnsafeMutableRawBufferPointer, of entity: UInt16,
        by numbers: EntityNumberMap
    ) {
        let index = Int(entity) - 1
        guard entities.indices.contains(index), bytes.count >= entities[index].endsOffset else {
            return
        }
        Self.replaceNumber(in: bytes, at: 4, by: numbers)
        Self.replaceNumber(in: bytes, at: 6, by: numbers)
        for toOneIndex in entities[index].toOnes {
            let slot = toOnes[toOneIndex]
            if Self.isNull(slot, in: UnsafeRawBufferPointer(bytes)) { continue }
            Self.replaceNumber(in: bytes, at: Int(slot.offset) + 8, by: numbers)
        }
    }

    @inline(__always) private static func replaceNumber(
        in bytes: UnsafeMutableRawBufferPointer, at offset: Int, by numbers: EntityNumberMap
    ) {
        let old = UnsafeRawBufferPointer(bytes).load(UInt16.self, at: offset)
        bytes.storeBytes(of: numbers[old].littleEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Checks that the ends of the variable slots never decrease and are inside the row.
    @inline(__always) private func checkEnds(
        _ bytes: UnsafeRawBufferPointer, _ entity: Entity, _ index: Int
    ) throws(RowDamage) {
        let payload = entity.endsOffset + 4 * entity.variableCount
        guard bytes.count >= payload else { throw .wrongLength }
        let room = bytes.count - payload
        var last: UInt32 = 0
        for variableIndex in 0..<entity.variableCount {
            let end = bytes.load(UInt32.self, at: entity.endsOffset + 4 * variableIndex)
            guard end >= last, Int(end) <= room else {
                throw .misplacedBytes(slot: variableSlots[index][variableIndex])
            }
            last = end
        }
        guard room - Int(last) < 8 else { throw .wrongLength }
    }

    private static func isNull(_ slot: RowLayout.Slot, in bytes: UnsafeRawBufferPointer) -> Bool {
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        return bytes.load(UInt64.self, at: word) >> UInt64(slot.index % 64) & 1 == 1
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always) fileprivate func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// The reason why bytes are not a valid packed row.
public enum RowDamage: Error, Sendable, Hashable {
    /// The number of bytes differs from the length that the row records, or is too small for its
    /// content.
    case wrongLength
    /// The model has no entity with that number, or the entity has another root entity.
    case unknownEntity(UInt16)
    /// The row was written with a model that lays out the rows of its entity, which has this number
    /// in the store, differently.
    case otherLayout(UInt16)
    /// A variable slot ends before it begins, or after the end of the row.
    case misplacedBytes(slot: Int)
    /// A to-one relationship leads to an entity that cannot be its destination.
    case wrongDestination(slot: Int)
}

extension RowDamage: CustomStringConvertible {
    /// Says what is wrong. Contains no stored value.
    public var description: String {
        switch self {
        case .wrongLength: "the length that the row records differs from the number of its bytes"
        case .unknownEntity(let number):
            "the row belongs to entity \(number), which is not in the model"
        case .otherLayout(let number):
            "the row belongs to entity \(number), whose rows have another layout in the model"
        case .misplacedBytes(let slot): "the bytes of slot \(slot) are outside the row"
        case .wrongDestination(let slot):
            "slot \(slot) refers to an entity that is not its destination"
        }
    }
}
