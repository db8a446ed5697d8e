import Foundation

/// The values of an item of the rows' model, the same in every run.
public struct ItemValues: Sendable {
    /// The index of the item. Its key is greater by one.
    public var number: Int64
    /// The indexed attribute. About 1,000 items share each value.
    public var category: Int64
    /// An amount with two decimals.
    public var price: Double
    /// A number from 0 to 1.
    public var rating: Double
    /// Either value for about half of the items.
    public var active: Bool
    /// A date of the years from 2001 to 2023.
    public var created: Date
    /// A text of 10 to 40 bytes.
    public var name: String
    /// A text of 10 to 40 bytes.
    public var title: String
    /// A text of 10 to 40 bytes.
    public var code: String
    /// A text of 10 to 38 bytes. `nil` for half of the items.
    public var note: String?

    /// Creates values, such as those that a contender read.
    public init(
        number: Int64, category: Int64, price: Double, rating: Double, active: Bool,
        created: Date, name: String, title: String, code: String, note: String?
    ) {
        self.number = number
        self.category = category
        self.price = price
        self.rating = rating
        self.active = active
        self.created = created
        self.name = name
        self.title = title
        self.code = code
        self.note = note
    }

    /// Returns the values of an item. The index of its folder is ``folderIndex(at:of:)``.
    ///
    /// - Parameters:
    ///   - index: The index of the item, from 0.
    ///   - size: The number of items.
    package static func item(at index: Int, of size: Int) -> ItemValues {
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
    package static func all(_ size: Int) -> [ItemValues] {
        (0..<size).map { item(at: $0, of: size) }
    }

    /// Returns the index of the folder that contains an item. Three consecutive items share a folder, and the
    /// items of a category are in many folders.
    public static func folderIndex(at index: Int, of size: Int) -> Int {
        index / 3 % ReferenceModel.groupCount(for: size)
    }

    /// Returns a digest of an object with these values, equal to the digest that the C baselines compute from
    /// the row.
    package func digest(key: Int64, folder: Int64, version: Int64) -> UInt64 {
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

    /// Returns a digest of a string: its length, its first byte and its last byte.
    package static func digest(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return 0 }
            return UInt64(bytes.count) &* 131 &+ UInt64(first) &+ 7 &* UInt64(last)
        }
    }

    /// Returns the digest of three values of an item.
    package static func columnsDigest(title: String, number: Int64, price: Double) -> UInt64 {
        digest(title) ^ UInt64(bitPattern: number) &* 0x9E37_79B9 ^ price.bitPattern
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
    mutating func indices(_ count: Int, of size: Int) -> [Int] {
        var all = Array(0..<size)
        for index in 0..<min(count, size) { all.swapAt(index, index + next(below: size - index)) }
        return Array(all.prefix(count))
    }
}

/// The checksum of a sequence of rows, as the C baselines compute it.
package struct RowChecksum: Sendable {
    package private(set) var value: UInt64 = 0

    package mutating func add(_ row: UInt64) { value = value &* 31 &+ row }

    package mutating func add(_ key: Int64) { add(UInt64(bitPattern: key)) }

    package init() {}

    /// Creates the checksum of the rows' digests.
    package init(_ rows: some Sequence<UInt64>) {
        for row in rows { add(row) }
    }

    /// Creates the checksum of keys.
    package init(keys: some Sequence<Int64>) {
        for key in keys { add(key) }
    }
}
