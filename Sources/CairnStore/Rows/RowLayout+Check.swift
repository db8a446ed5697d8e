import CairnModel

/// What is wrong with bytes that should be a packed row.
public enum RowDamage: Error, Sendable, Hashable {
    /// There are fewer bytes than the row has by its own account, more, or fewer than any has.
    case wrongLength
    /// The model has no entity of that number, or another root for it.
    case unknownEntity(UInt16)
    /// A variable slot ends before it begins or behind the row.
    case misplacedBytes(slot: Int)
    /// A to-one refers to an entity that cannot be its destination.
    case wrongDestination(slot: Int)
}

extension RowDamage: CustomStringConvertible {
    /// What is wrong, without any stored value.
    public var description: String {
        switch self {
        case .wrongLength: "the row's length is not that of its bytes"
        case .unknownEntity(let number): "the row is of entity \(number), which is not in the model"
        case .misplacedBytes(let slot): "the bytes of slot \(slot) lie outside of the row"
        case .wrongDestination(let slot): "slot \(slot) refers to an entity that cannot stand there"
        }
    }
}

extension RowLayouts {
    /// Checks that bytes from outside are a row of the model, and returns its layout.
    ///
    /// Afterwards no accessor of ``Row`` reads outside of the bytes, whatever they hold. Values are
    /// not judged. Costs a few loads per variable and to-one slot.
    ///
    /// - Throws: each case of ``RowDamage``.
    public func check(_ bytes: UnsafeRawBufferPointer) throws(RowDamage) -> RowLayout {
        guard bytes.count >= RowLayout.headerByteCount,
            bytes.load(UInt32.self, at: 0) == bytes.count, bytes.count % 8 == 0
        else { throw .wrongLength }
        let number = EntityNumber(bytes.load(UInt16.self, at: 4))
        guard let layout = layout(of: number),
            bytes.load(UInt16.self, at: 6) == layout.rootEntity.rawValue
        else { throw .unknownEntity(number.rawValue) }
        try layout.checkPlaces(bytes)
        for slot in layout.toOneSlots where !layout.isNull(slot, in: bytes) {
            let destination = EntityNumber(bytes.load(UInt16.self, at: Int(slot.offset) + 8))
            guard self.layout(of: destination)?.rootEntity == slot.destinationRoot else {
                throw .wrongDestination(slot: Int(slot.index))
            }
        }
        return layout
    }
}

extension RowLayout {
    /// Checks that the ends of the variable slots grow and stay inside of the row.
    fileprivate func checkPlaces(_ bytes: UnsafeRawBufferPointer) throws(RowDamage) {
        let payload = endsOffset + 4 * variableCount
        guard bytes.count >= payload else { throw .wrongLength }
        var last: UInt32 = 0
        for index in 0..<variableCount {
            let end = bytes.load(UInt32.self, at: endsOffset + 4 * index)
            guard end >= last, Int(end) <= bytes.count - payload else {
                throw .misplacedBytes(slot: variableSlot(index))
            }
            last = end
        }
        guard bytes.count - payload - Int(last) < 8 else { throw .wrongLength }
    }

    fileprivate func isNull(_ slot: Slot, in bytes: UnsafeRawBufferPointer) -> Bool {
        let word = Self.headerByteCount + Int(slot.index) / 64 * 8
        return bytes.load(UInt64.self, at: word) >> UInt64(slot.index % 64) & 1 == 1
    }

    private func variableSlot(_ index: Int) -> Int {
        slots.first { $0.kind.isVariable && Int($0.variableIndex) == index }
            .map { Int($0.index) } ?? index
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always) fileprivate func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
