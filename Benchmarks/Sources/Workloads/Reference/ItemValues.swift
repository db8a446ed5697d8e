import Baselines
import Foundation

/// The values of one item, the same in every run.
struct ItemValues: Sendable {
    var number: Int64
    var category: Int64
    var price: Double
    var rating: Double
    var active: Bool
    var created: Date
    var name: String
    var title: String
    var code: String
    var note: String?

    /// The values of the item at a place; its folder is the one at ``folderIndex(at:of:)``.
    ///
    /// - Parameters:
    ///   - index: from 0.
    ///   - size: how many items there are.
    static func item(at index: Int, of size: Int) -> ItemValues {
        var random = Random(seed: UInt64(index))
        let categories = ReferenceModel.groupCount(for: size)
        return ItemValues(
            number: Int64(index), category: Int64(index % categories),
            price: Double(random.next(below: 1_000_000)) / 100,
            rating: Double(random.next(below: 1_000_000)) / 1_000_003,
            active: random.next(below: 2) == 0,
            created: Date(
                timeIntervalSinceReferenceDate: Double(random.next(below: 700_000_000)) + 0.25),
            name: random.text(10...40), title: random.text(10...40), code: random.text(10...40),
            note: index % 2 == 0 ? random.text(10...38) : nil)
    }

    /// The items of a store of a size, in the order of their keys.
    static func all(_ size: Int) -> [ItemValues] {
        (0..<size).map { item(at: $0, of: size) }
    }

    /// Which folder the item at a place is in, from 0: three neighbours are in one, and those of
    /// a category in many.
    static func folderIndex(at index: Int, of size: Int) -> Int {
        index / 3 % ReferenceModel.groupCount(for: size)
    }

    /// What an object with these values holds, in a number: the same that the C baselines make of
    /// a row that they read.
    func digest(key: Int64, folder: Int64, version: Int64) -> UInt64 {
        var digest = UInt64(bitPattern: key)
        func add(_ value: UInt64) { digest = digest &* 3 &+ value }
        add(UInt64(bitPattern: number))
        add(UInt64(bitPattern: category))
        add(price.bitPattern)
        add(rating.bitPattern)
        add(active ? 1 : 0)
        add(created.timeIntervalSinceReferenceDate.bitPattern)
        add(Self.digest(name))
        add(Self.digest(title))
        add(Self.digest(code))
        add(note.map(Self.digest) ?? 0x9e37_79b9)
        add(UInt64(bitPattern: folder))
        add(UInt64(bitPattern: version))
        return digest
    }

    /// What a text is, in a number.
    static func digest(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { bl_text_digest($0.baseAddress, Int64($0.count)) }
    }
}

/// Small pseudo-random numbers (SplitMix64), so that data is the same on every machine.
struct Random {
    private var state: UInt64

    /// - Parameter seed: the same one gives the same numbers.
    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Lower-case letters and spaces.
    mutating func text(_ lengths: ClosedRange<Int>) -> String {
        let letters = Array("abcdefghij klmnop qrstuv wxyz etaoin".utf8)
        let length = lengths.lowerBound + next(below: lengths.count)
        return String(unsafeUninitializedCapacity: length) { buffer in
            for index in 0..<length { buffer[index] = letters[next(below: letters.count)] }
            return length
        }
    }

    /// Distinct places in an order that jumps about.
    mutating func places(_ count: Int, of size: Int) -> [Int] {
        var places = Array(0..<size)
        for index in 0..<min(count, size) {
            places.swapAt(index, index + next(below: size - index))
        }
        return Array(places.prefix(count))
    }
}

/// Checksum of a sequence of rows, as the C baselines make it.
struct Checksum: Sendable {
    private(set) var value: UInt64 = 0

    mutating func add(_ row: UInt64) { value = bl_digest_add(value, row) }

    mutating func add(_ key: Int64) { add(UInt64(bitPattern: key)) }

    init() {}

    /// Adds the digests of all rows.
    init(_ rows: some Sequence<UInt64>) {
        for row in rows { add(row) }
    }

    /// Adds keys.
    init(keys: some Sequence<Int64>) {
        for key in keys { add(key) }
    }
}
