/// Pointers by key: pages of an array where keys are dense, pages of a dictionary where they are
/// not.
final class KeyTable {
    private typealias Page = UnsafeMutablePointer<UnsafeRawPointer?>

    /// 2 KiB of pointers: small enough that one object kept of many wastes little. Behind them
    /// stands how many are in use.
    private static let keysPerPage = 256

    /// Which store and root entity the keys are of.
    let space: UInt64
    /// By page number, from 0. Exclusivity is unchecked, as in ``IdentityMap``.
    @exclusivity(unchecked) private var dense: ContiguousArray<Page?> = []
    @exclusivity(unchecked) private var sparse: [Int64: Page] = [:]
    private var pageCount = 0

    init(space: UInt64) {
        self.space = space
    }

    deinit {
        for page in dense { page?.deallocate() }
        for page in sparse.values { page.deallocate() }
    }

    /// Returns the pointer of a key; nil where there is none.
    @inline(__always) subscript(key: Int64) -> UnsafeRawPointer? {
        let number = Self.pageNumber(key)
        if number < Int64(dense.count) {
            guard let page = dense[Int(number)] else { return nil }
            return page[Self.place(key)]
        }
        return sparse.isEmpty ? nil : sparse[number]?[Self.place(key)]
    }

    /// Sets the pointer of a key, and says whether that changed how many there are.
    func set(_ pointer: UnsafeRawPointer?, for key: Int64) -> Bool {
        let number = Self.pageNumber(key)
        guard let page = page(number, makes: pointer != nil) else { return false }
        let previous = page[Self.place(key)]
        page[Self.place(key)] = pointer
        guard (previous == nil) != (pointer == nil) else { return false }
        let fill = Int(bitPattern: page[Self.keysPerPage]) + (pointer == nil ? -1 : 1)
        page[Self.keysPerPage] = UnsafeRawPointer(bitPattern: fill)
        if fill == 0 { removePage(number) }
        return true
    }

    /// All pointers, by key.
    var entries: [UnsafeRawPointer] {
        let pages =
            dense.enumerated().compactMap { index, page in page.map { (Int64(index), $0) } }
            + sparse.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        return pages.flatMap { _, page in (0..<Self.keysPerPage).compactMap { page[$0] } }
    }

    /// Keys count from 1, temporary ones from −1 down: both become numbers from 0. A temporary key
    /// has a space, and so a table, of its own.
    private static func pageNumber(_ key: Int64) -> Int64 {
        Int64(bitPattern: (key < 0 ? ~key : key).magnitude / UInt64(keysPerPage))
    }

    private static func place(_ key: Int64) -> Int {
        Int((key < 0 ? ~key : key) & Int64(keysPerPage - 1))
    }

    private func page(_ number: Int64, makes: Bool) -> Page? {
        if number < Int64(dense.count), let page = dense[Int(number)] { return page }
        if let page = sparse[number] { return page }
        guard makes else { return nil }
        let page = Page.allocate(capacity: Self.keysPerPage + 1)
        page.initialize(repeating: nil, count: Self.keysPerPage + 1)
        pageCount += 1
        if isDense(number) {
            while Int64(dense.count) <= number { appendDensePage() }
            dense[Int(number)] = page
        } else {
            sparse[number] = page
        }
        return page
    }

    /// Whether the array may grow so far: at most 8 empty places for each page in use.
    private func isDense(_ number: Int64) -> Bool {
        number < Int64(1024 + 8 * pageCount)
    }

    /// A page that was sparse may have become one of the dense ones.
    private func appendDensePage() {
        dense.append(sparse.removeValue(forKey: Int64(dense.count)))
    }

    private func removePage(_ number: Int64) {
        pageCount -= 1
        if number < Int64(dense.count) {
            dense[Int(number)]?.deallocate()
            dense[Int(number)] = nil
        } else {
            sparse.removeValue(forKey: number)?.deallocate()
        }
    }
}
