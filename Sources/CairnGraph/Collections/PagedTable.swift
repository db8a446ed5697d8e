/// Words by key, in pages of neighbouring keys. Pages of small keys are in an array, others in a
/// dictionary.
///
/// A word is any number except 0, which stands for no word: the ``IdentityMap`` keeps addresses of
/// objects, and a ``RowTable`` positions of rows.
final class PagedTable {
    /// How many pages the array may have from the start: 32 KiB, keys to 262,144.
    private static let freePageCount = 4096

    /// Which store and root entity the keys are of.
    let space: UInt64
    /// By page number, from 0; an array's checks would cost as much as the lookup.
    private var dense: UnsafeMutablePointer<WordPage?>
    private var denseCount = 0
    /// Exclusivity is unchecked, as in ``IdentityMap``.
    @exclusivity(unchecked) private var sparse: [Int64: WordPage] = [:]
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

    /// The word of a key, or 0 if the key has no word.
    @inline(__always) subscript(key: Int64) -> UInt {
        let word = denseWord(of: key)
        if word != 0 || sparse.isEmpty { return word }
        return sparse[Self.pageNumber(key)]?[Self.index(key)] ?? 0
    }

    /// Returns the word of a key that is in a page of the array. Returns 0 for other keys.
    @inline(__always) func denseWord(of key: Int64) -> UInt {
        let number = Self.pageNumber(key)
        guard number < Int64(denseCount), let page = dense[Int(number)] else { return 0 }
        return page[Self.index(key)]
    }

    /// Sets the word of a key, and says whether that changed how many there are. 0 removes the word.
    func set(_ word: UInt, for key: Int64) -> Bool {
        let number = Self.pageNumber(key)
        guard var page = page(number) else {
            if word != 0 { addPage(number, with: word, at: Self.index(key)) }
            return word != 0
        }
        if word == 0, page.count == 1 {
            guard page[Self.index(key)] != 0 else { return false }
            removePage(number)
            return true
        }
        let before = page
        let countChanged = page.set(word, at: Self.index(key))
        if page != before { keep(page, as: number) }
        return countChanged
    }

    /// All words, by key.
    var words: [UInt] {
        let pages =
            (0..<denseCount).compactMap { number in dense[number].map { (Int64(number), $0) } }
            + sparse.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        return pages.flatMap { $0.1.words }
    }

    /// Checks what holds between calls, for tests.
    ///
    /// - Throws: what does not hold.
    func checkInvariants() throws(BrokenInvariant) {
        let pages = (0..<denseCount).compactMap { dense[$0] } + sparse.values
        guard pages.count == pageCount else {
            throw BrokenInvariant("\(pages.count) pages are there, and \(pageCount) are counted")
        }
        guard sparse.keys.allSatisfy({ $0 >= Int64(denseCount) }) else {
            throw BrokenInvariant("a page of the dictionary belongs into the array")
        }
        for page in pages { try page.checkInvariants() }
    }

    /// Keys count from 1, temporary ones from −1 down: both become numbers from 0. A temporary key
    /// has a space, and so a table, of its own.
    @inline(__always) private static func pageNumber(_ key: Int64) -> Int64 {
        Int64(bitPattern: (key < 0 ? ~key : key).magnitude / UInt64(WordPage.wordCount))
    }

    @inline(__always) private static func index(_ key: Int64) -> Int {
        Int((key < 0 ? ~key : key) & Int64(WordPage.wordCount - 1))
    }

    @inline(__always) private func page(_ number: Int64) -> WordPage? {
        if number < Int64(denseCount) { return dense[Int(number)] }
        return sparse.isEmpty ? nil : sparse[number]
    }

    @inline(never) private func addPage(_ number: Int64, with word: UInt, at index: Int) {
        let page = WordPage(word, at: index)
        pageCount += 1
        if isDense(number), number >= Int64(denseCount) { growDense(toHold: Int(number)) }
        keep(page, as: number)
    }

    private func keep(_ page: WordPage, as number: Int64) {
        if number < Int64(denseCount) {
            dense[Int(number)] = page
        } else {
            sparse[number] = page
        }
    }

    /// Whether the array may grow so far: at most 16 empty entries for each page in use.
    private func isDense(_ number: Int64) -> Bool {
        number < Int64(Self.freePageCount + 16 * pageCount)
    }

    /// Makes the array larger. Pages of the dictionary that it covers then move into it.
    private func growDense(toHold number: Int) {
        let count = max(number + 1, denseCount * 2, 16)
        let grown = UnsafeMutablePointer<WordPage?>.allocate(capacity: count)
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
