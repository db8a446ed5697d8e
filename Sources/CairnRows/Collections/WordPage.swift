/// The words of 64 neighbouring keys of a ``PagedTable``. A page has one of three forms.
///
/// - Near: each key takes four bytes, which contain the distance of its word from the page's base.
///   Objects that are created one after the other have nearby addresses, and pages of half the size
///   cause fewer cache misses.
/// - Wide: the page contains whole words. A near page becomes wide when a word is too far from the base.
/// - Lone: the page has a single word, and the word and its index are packed into 64 bits without
///   allocated memory. Objects that are found with an index of the store are far from each other, and
///   allocating a page for each took a fifth of the time of finding and registering them.
///
/// The creator of a page must call ``deallocate()``.
struct WordPage: Equatable {
    /// The number of keys of a page. A near page takes 272 bytes.
    static let wordCount = 64

    /// The address of the page's memory, which contains a count and a base of 8 bytes each, followed by
    /// the entries. The lowest bits indicate the page's form.
    private var address: UnsafeMutableRawPointer
    private static let wideBit: UInt = 1
    private static let loneBit: UInt = 2
    /// The first bit of a lone word's index. The bits below it contain the word.
    private static let indexShift: UInt = 48
    private static let headerSize = 16
    /// The unit of distances. Objects and rows are aligned to at least this many bytes.
    private static let unit: UInt = 8

    /// Creates a page that contains one word.
    init(_ word: UInt, at index: Int) {
        assert(word != 0 && (0..<Self.wordCount).contains(index))
        let bits = UInt(index) << Self.indexShift | word | Self.loneBit
        if word % Self.unit == 0, word >> Self.indexShift == 0,
            let lone = UnsafeMutableRawPointer(bitPattern: bits)
        {
            self.init(address: lone)
        } else {
            self.init(holding: word, at: index)
        }
    }

    private init(address: UnsafeMutableRawPointer) { self.address = address }

    /// Creates a page that contains one word and has memory for words near it.
    private init(holding word: UInt, at index: Int) {
        self.init(entrySize: MemoryLayout<Int32>.size)
        // Subtract one unit, because a distance of 0 means that there is no word.
        base = word &- Self.unit
        _ = set(word, at: index)
    }

    private init(entrySize: Int) {
        let size = Self.headerSize + Self.wordCount * entrySize
        address = .allocate(byteCount: size, alignment: MemoryLayout<UInt>.alignment)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    func deallocate() {
        if !isLone { memory.deallocate() }
    }

    /// The number of keys that have a word.
    var count: Int { isLone ? 1 : memory.load(as: Int.self) }

    /// The word at an index, or 0 if the index has no word.
    @inline(__always) subscript(index: Int) -> UInt {
        assert((0..<Self.wordCount).contains(index), "a page has no index \(index)")
        guard isNear else {
            guard isLone else { return wideEntries[index] }
            return index == loneIndex ? loneWord : 0
        }
        let distance = nearEntries[index]
        guard distance != 0 else { return 0 }
        return base &+ UInt(bitPattern: Int(distance)) &* Self.unit
    }

    /// Sets the word at an index; 0 removes it. Returns whether the number of words changed.
    ///
    /// - Precondition: The page's last word is not removed.
    mutating func set(_ word: UInt, at index: Int) -> Bool {
        if isLone {
            guard word != 0 else {
                precondition(index != loneIndex, "a page has a word")
                return false
            }
            if index == loneIndex {
                self = WordPage(word, at: index)
                return false
            }
            self = WordPage(holding: loneWord, at: loneIndex)
        }
        let wasThere = self[index] != 0
        if isWide {
            wideEntries[index] = word
        } else if let distance = distance(to: word) {
            nearEntries[index] = distance
        } else {
            widen()
            wideEntries[index] = word
        }
        guard wasThere == (word == 0) else { return false }
        memory.storeBytes(of: count + (wasThere ? -1 : 1), as: Int.self)
        assert(count > 0, "the last word of a page was removed")
        return true
    }

    /// All words, in the order of their keys.
    var words: [UInt] { (0..<Self.wordCount).map { self[$0] }.filter { $0 != 0 } }

    /// Checks the page's invariants. Used by tests.
    ///
    /// - Throws: A description of the invariant that does not hold.
    func checkInvariants() throws(BrokenInvariant) {
        guard words.count == count, count > 0 else {
            throw BrokenInvariant("a page has \(words.count) words and counts \(count)")
        }
        guard !(isLone && isWide), !isLone || loneWord % Self.unit == 0 else {
            throw BrokenInvariant("a page has no form: \(bits)")
        }
    }

    /// Returns the distance of a word from the base, in units. Returns 0 if the word is 0, and `nil` if
    /// the word is too far away.
    private func distance(to word: UInt) -> Int32? {
        guard word != 0 else { return 0 }
        let distance = Int(bitPattern: word &- base)
        guard distance % Int(Self.unit) == 0, distance != 0 else { return nil }
        return Int32(exactly: distance / Int(Self.unit))
    }

    private mutating func widen() {
        var wide = WordPage(entrySize: MemoryLayout<UInt>.size)
        wide.memory.storeBytes(of: count, as: Int.self)
        wide.address += Int(Self.wideBit)
        for index in 0..<Self.wordCount { wide.wideEntries[index] = self[index] }
        deallocate()
        self = wide
    }

    // MARK: Memory

    @inline(__always) private var bits: UInt { UInt(bitPattern: address) }
    @inline(__always) private var isWide: Bool { bits & Self.wideBit != 0 }
    @inline(__always) private var isLone: Bool { bits & Self.loneBit != 0 }
    @inline(__always) private var isNear: Bool { bits & (Self.wideBit | Self.loneBit) == 0 }

    @inline(__always) private var loneIndex: Int { Int(bits >> Self.indexShift) }

    @inline(__always) private var loneWord: UInt {
        bits & ((1 << Self.indexShift) - 1) & ~Self.loneBit
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

    @inline(__always) private var wideEntries: UnsafeMutablePointer<UInt> {
        (memory + Self.headerSize).assumingMemoryBound(to: UInt.self)
    }
}
