/// The pointers to the objects of 64 keys in a row.
///
/// Four bytes a key: how far each object is from where the page's first one was. Objects that are
/// made one after the other are near each other, and a page of half the size finds them with fewer
/// cache misses. An object too far away for that makes its page a wide one, of whole pointers.
struct KeyPage: Equatable {
    /// A page of four bytes a key is 272 bytes: an index finds objects far from each other, and a
    /// page for each must not cost more than the object does.
    static let keyCount = 64

    /// A fill count and a base, a word each, then the entries. The lowest bit says that the page is
    /// wide.
    private var address: UnsafeMutableRawPointer
    private static let headerSize = 16
    /// What distances are counted in: objects are aligned at least so.
    private static let unit = 8

    /// Makes a page without pointers that will have one near another pointer.
    init(near pointer: UnsafeRawPointer) {
        self.init(entrySize: MemoryLayout<Int32>.size)
        // One unit less, so that no distance is the 0 that stands for none.
        base = UInt(bitPattern: pointer) &- UInt(Self.unit)
    }

    private init(entrySize: Int) {
        let size = Self.headerSize + Self.keyCount * entrySize
        address = .allocate(byteCount: size, alignment: MemoryLayout<UInt>.alignment)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    func deallocate() { memory.deallocate() }

    /// How many keys have a pointer.
    private(set) var count: Int {
        get { memory.load(as: Int.self) }
        nonmutating set { memory.storeBytes(of: newValue, as: Int.self) }
    }

    /// Returns the pointer at a place; nil where there is none.
    @inline(__always) subscript(place: Int) -> UnsafeRawPointer? {
        guard !isWide else { return wideEntries[place] }
        let distance = nearEntries[place]
        guard distance != 0 else { return nil }
        return UnsafeRawPointer(bitPattern: base &+ UInt(bitPattern: Int(distance) &* Self.unit))
    }

    /// Sets the pointer at a place, and says whether that changed how many there are.
    mutating func set(_ pointer: UnsafeRawPointer?, at place: Int) -> Bool {
        let wasThere = self[place] != nil
        if isWide {
            wideEntries[place] = pointer
        } else if let distance = distance(to: pointer) {
            nearEntries[place] = distance
        } else {
            widen()
            wideEntries[place] = pointer
        }
        guard wasThere == (pointer == nil) else { return false }
        count += wasThere ? -1 : 1
        return true
    }

    /// All pointers, in the order of their keys.
    var entries: [UnsafeRawPointer] { (0..<Self.keyCount).compactMap { self[$0] } }

    /// How far away a pointer is; 0 for none; nil for one too far away.
    private func distance(to pointer: UnsafeRawPointer?) -> Int32? {
        guard let pointer else { return 0 }
        let distance = Int(bitPattern: UInt(bitPattern: pointer) &- base)
        guard distance % Self.unit == 0, distance != 0 else { return nil }
        return Int32(exactly: distance / Self.unit)
    }

    private mutating func widen() {
        var wide = KeyPage(entrySize: MemoryLayout<UnsafeRawPointer?>.size)
        wide.count = count
        wide.address += 1
        for place in 0..<Self.keyCount { wide.wideEntries[place] = self[place] }
        deallocate()
        self = wide
    }

    // MARK: Memory

    @inline(__always) private var isWide: Bool { UInt(bitPattern: address) & 1 != 0 }

    @inline(__always) private var memory: UnsafeMutableRawPointer {
        isWide ? address - 1 : address
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
