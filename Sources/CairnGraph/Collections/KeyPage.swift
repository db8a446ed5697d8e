/// The pointers to the objects of 64 keys in a row.
///
/// Each key takes four bytes, which contain the distance of its object from the page's first object.
/// Objects that are created one after the other are near each other, and a page of half the size finds
/// them with fewer cache misses. If an object is too far away for that, its page becomes a wide one
/// that contains whole pointers.
///
/// A page of one pointer has no memory: it is the pointer and its index, in one word. An index finds
/// objects far from each other, and memory for each took a fifth of the time of finding and keeping them.
struct KeyPage: Equatable {
    /// A page of four bytes a key is 272 bytes.
    static let keyCount = 64

    /// Points to a fill count and a base, a word each, then the entries. The lowest bits say what form the page
    /// has, and what else the word holds if the page has no memory.
    private var address: UnsafeMutableRawPointer
    private static let wideBit: UInt = 1
    private static let loneBit: UInt = 2
    /// The bit at which the index of a lone pointer begins, above the bits of an address.
    private static let indexShift: UInt = 48
    private static let headerSize = 16
    /// What distances are counted in: objects are aligned at least so.
    private static let unit = 8

    /// Makes a page of one pointer.
    init(_ pointer: UnsafeRawPointer, at index: Int) {
        let bits = UInt(bitPattern: pointer)
        let word = UInt(index) << Self.indexShift | bits | Self.loneBit
        if bits % UInt(Self.unit) == 0, bits >> Self.indexShift == 0,
            let lone = UnsafeMutableRawPointer(bitPattern: word)
        {
            self.init(address: lone)
        } else {
            self.init(holding: pointer, at: index)
        }
    }

    private init(address: UnsafeMutableRawPointer) { self.address = address }

    /// Makes a page of one pointer that has memory for those near it.
    private init(holding pointer: UnsafeRawPointer, at index: Int) {
        self.init(entrySize: MemoryLayout<Int32>.size)
        // One unit less, so that no distance is the 0 that stands for none.
        base = UInt(bitPattern: pointer) &- UInt(Self.unit)
        _ = set(pointer, at: index)
    }

    private init(entrySize: Int) {
        let size = Self.headerSize + Self.keyCount * entrySize
        address = .allocate(byteCount: size, alignment: MemoryLayout<UInt>.alignment)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    func deallocate() {
        if !isLone { memory.deallocate() }
    }

    /// How many keys have a pointer.
    var count: Int { isLone ? 1 : memory.load(as: Int.self) }

    /// Returns the pointer at an index, or `nil` if the index has no pointer.
    @inline(__always) subscript(index: Int) -> UnsafeRawPointer? {
        guard isNear else {
            guard isLone else { return wideEntries[index] }
            return index == loneIndex ? lonePointer : nil
        }
        let distance = nearEntries[index]
        guard distance != 0 else { return nil }
        return UnsafeRawPointer(bitPattern: base &+ UInt(bitPattern: Int(distance) &* Self.unit))
    }

    /// Sets the pointer at an index, and says whether that changed how many there are.
    ///
    /// - Precondition: it does not take the last pointer away.
    mutating func set(_ pointer: UnsafeRawPointer?, at index: Int) -> Bool {
        if isLone {
            guard let pointer else {
                precondition(index != loneIndex, "a page has a pointer")
                return false
            }
            if index == loneIndex {
                self = KeyPage(pointer, at: index)
                return false
            }
            if let lonePointer { self = KeyPage(holding: lonePointer, at: loneIndex) }
        }
        let wasThere = self[index] != nil
        if isWide {
            wideEntries[index] = pointer
        } else if let distance = distance(to: pointer) {
            nearEntries[index] = distance
        } else {
            widen()
            wideEntries[index] = pointer
        }
        guard wasThere == (pointer == nil) else { return false }
        memory.storeBytes(of: count + (wasThere ? -1 : 1), as: Int.self)
        return true
    }

    /// All pointers, in the order of their keys.
    var entries: [UnsafeRawPointer] { (0..<Self.keyCount).compactMap { self[$0] } }

    /// Returns the distance of a pointer. Returns 0 if there is no pointer, and `nil` if the pointer is
    /// too far away.
    private func distance(to pointer: UnsafeRawPointer?) -> Int32? {
        guard let pointer else { return 0 }
        let distance = Int(bitPattern: UInt(bitPattern: pointer) &- base)
        guard distance % Self.unit == 0, distance != 0 else { return nil }
        return Int32(exactly: distance / Self.unit)
    }

    private mutating func widen() {
        var wide = KeyPage(entrySize: MemoryLayout<UnsafeRawPointer?>.size)
        wide.memory.storeBytes(of: count, as: Int.self)
        wide.address += Int(Self.wideBit)
        for index in 0..<Self.keyCount { wide.wideEntries[index] = self[index] }
        deallocate()
        self = wide
    }

    // MARK: Memory

    @inline(__always) private var word: UInt { UInt(bitPattern: address) }
    @inline(__always) private var isWide: Bool { word & Self.wideBit != 0 }
    @inline(__always) private var isLone: Bool { word & Self.loneBit != 0 }
    @inline(__always) private var isNear: Bool { word & (Self.wideBit | Self.loneBit) == 0 }

    @inline(__always) private var loneIndex: Int { Int(word >> Self.indexShift) }

    @inline(__always) private var lonePointer: UnsafeRawPointer? {
        UnsafeRawPointer(bitPattern: word & ((1 << Self.indexShift) - 1) & ~Self.loneBit)
    }

    @inline(__always) private var memory: UnsafeMutableRawPointer {
        isWide ? address - Int(Self.wideBit) : address
    }

    @inline(__always) private var base: UInt {
        get { address.load(fromByteOffset: 8, as: UInt.self) }
        nonmutating set { address.storeBytes(of: newValue, toByteOffset: 8, as: UInt.self) }
    }

    @inline(__always) private var nearEntries: UnsafeMutablePointer<Int32> {
        (address + Self.headerSize).assumingMemoryBound(to: Int32.self)
    }

    @inline(__always) private var wideEntries: UnsafeMutablePointer<UnsafeRawPointer?> {
        (memory + Self.headerSize).assumingMemoryBound(to: UnsafeRawPointer?.self)
    }
}
