import Baselines
import Foundation

/// The values of an item, the same in every run.
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

    /// Returns the values of an item. The index of its folder is ``folderIndex(at:of:)``.
    ///
    /// - Parameters:
    ///   - index: The index of the item, from 0.
    ///   - size: The number of items.
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

    /// Returns the items of a store of the given size, in the order of their keys.
    static func all(_ size: Int) -> [ItemValues] {
        (0..<size).map { item(at: $0, of: size) }
    }

    /// Returns the index of the folder that contains an item. Three consecutive items share a folder, and the
    /// items of a category are in many folders.
    static func folderIndex(at index: Int, of size: Int) -> Int {
        index / 3 % ReferenceModel.groupCount(for: size)
    }

    /// Returns a digest of an object with these values, equal to the digest that the C baselines compute from
    /// the row.
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

    /// Returns a digest of a string.
    static func digest(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { bl_text_digest($0.baseAddress, Int64($0.count)) }
    }
}

/// A small pseudorandom number generator (SplitMix64), so that the data is the same on every machine.
struct Random {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: The seed, which determines all numbers.
    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Returns a string of lower-case letters and spaces.
    mutating func text(_ lengths: ClosedRange<Int>) -> String {
        let letters = Array("abcdefghij klmnop qrstuv wxyz etaoin".utf8)
        let length = lengths.lowerBound + next(below: lengths.count)
        return String(unsafeUninitializedCapacity: length) { buffer in
            for index in 0..<length { buffer[index] = letters[next(below: letters.count)] }
            return length
        }
    }

    /// Returns distinct indices in random order.
    mutating func places(_ count: Int, of size: Int) -> [Int] {
        var places = Array(0..<size)
        for index in 0..<min(count, size) {
            places.swapAt(index, index + next(below: size - index))
        }
        return Array(places.prefix(count))
    }
}

/// The checksum of a sequence of rows, as the C baselines compute it.
struct Checksum: Sendable {
    private(set) var value: UInt64 = 0

    mutating func add(_ row: UInt64) { value = bl_digest_add(value, row) }

    mutating func add(_ key: Int64) { add(UInt64(bitPattern: key)) }

    init() {}

    /// Creates the checksum of the rows' digests.
    init(_ rows: some Sequence<UInt64>) {
        for row in rows { add(row) }
    }

    /// Creates the checksum of keys.
    init(keys: some Sequence<Int64>) {
        for key in keys { add(key) }
    }
}
