/// Pointers by key. Dense keys are in pages of an array, and other keys in pages of a dictionary.
final class KeyTable {
    /// How many entries the directory may have from the start: 32 KiB, keys to 262,144.
    private static let freeEntryCount = 4096

    /// Which store and root entity the keys are of.
    let space: UInt64
    /// By page number, from 0; an array's checks would cost as much as the lookup.
    private var dense: UnsafeMutablePointer<KeyPage?>
    private var denseCount = 0
    /// Exclusivity is unchecked, as in ``IdentityMap``.
    @exclusivity(unchecked) private var sparse: [Int64: KeyPage] = [:]
    private var pageCount = 0

    init(space: UInt64) {
        self.space = space
        dense = .allocate(capacity: 0)
    }

    deinit {
        for number in 0..<denseCount { dense[number]?.deallocate() }
        dense.deallocate()
        for page in sparse.values { page.deallocate() }
    }

    /// Returns the pointer of a key, or `nil` if the key has no pointer.
    @inline(__always) subscript(key: Int64) -> UnsafeRawPointer? {
        if let entry = denseEntry(key) { return entry }
        return sparse.isEmpty ? nil : sparse[Self.pageNumber(key)]?[Self.indexInPage(key)]
    }

    /// Returns the pointer of a key that is among dense ones.
    @inline(__always) func denseEntry(_ key: Int64) -> UnsafeRawPointer? {
        let number = Self.pageNumber(key)
        guard number < Int64(denseCount), let page = dense[Int(number)] else { return nil }
        return page[Self.indexInPage(key)]
    }

    /// Sets the pointer of a key, and says whether that changed how many there are.
    func set(_ pointer: UnsafeRawPointer?, for key: Int64) -> Bool {
        let number = Self.pageNumber(key)
        guard var page = page(number) else {
            if let pointer { addPage(number, with: pointer, at: Self.indexInPage(key)) }
            return pointer != nil
        }
        if pointer == nil, page.count == 1 {
            guard page[Self.indexInPage(key)] != nil else { return false }
            removePage(number)
            return true
        }
        let before = page
        let countChanged = page.set(pointer, at: Self.indexInPage(key))
        if page != before { keep(page, as: number) }
        return countChanged
    }

    /// All pointers, by key.
    var entries: [UnsafeRawPointer] {
        let pages =
            (0..<denseCount).compactMap { number in dense[number].map { (Int64(number), $0) } }
            + sparse.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        return pages.flatMap { $0.1.entries }
    }

    /// Keys count from 1, temporary ones from −1 down: both become numbers from 0. A temporary key
    /// has a space, and so a table, of its own.
    @inline(__always) private static func pageNumber(_ key: Int64) -> Int64 {
        Int64(bitPattern: (key < 0 ? ~key : key).magnitude / UInt64(KeyPage.keyCount))
    }

    @inline(__always) private static func indexInPage(_ key: Int64) -> Int {
        Int((key < 0 ? ~key : key) & Int64(KeyPage.keyCount - 1))
    }

    @inline(__always) private func page(_ number: Int64) -> KeyPage? {
        if number < Int64(denseCount) { return dense[Int(number)] }
        return sparse.isEmpty ? nil : sparse[number]
    }

    @inline(never) private func addPage(
        _ number: Int64, with pointer: UnsafeRawPointer, at index: Int
    ) {
        let page = KeyPage(pointer, at: index)
        pageCount += 1
        if isDense(number), number >= Int64(denseCount) { growDense(toHold: Int(number)) }
        keep(page, as: number)
    }

    private func keep(_ page: KeyPage, as number: Int64) {
        if number < Int64(denseCount) {
            dense[Int(number)] = page
        } else {
            sparse[number] = page
        }
    }

    /// Whether the directory may grow so far: at most 16 empty entries for each page in use.
    private func isDense(_ number: Int64) -> Bool {
        number < Int64(Self.freeEntryCount + 16 * pageCount)
    }

    /// Makes the directory larger. A page that was sparse may become one of the dense ones.
    private func growDense(toHold number: Int) {
        let count = max(number + 1, denseCount * 2, 16)
        let grown = UnsafeMutablePointer<KeyPage?>.allocate(capacity: count)
        grown.moveInitialize(from: dense, count: denseCount)
        (grown + denseCount).initialize(repeating: nil, count: count - denseCount)
        dense.deallocate()
        dense = grown
        for (number, page) in sparse where number < Int64(count) {
            dense[Int(number)] = page
            sparse[number] = nil
        }
        denseCount = count
    }

    private func removePage(_ number: Int64) {
        pageCount -= 1
        if number < Int64(denseCount) {
            dense[Int(number)]?.deallocate()
            dense[Int(number)] = nil
        } else {
            sparse.removeValue(forKey: number)?.deallocate()
        }
    }
}
