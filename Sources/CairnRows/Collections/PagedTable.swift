/// A table from keys to words, divided into pages of neighbouring keys. Pages of small keys are stored
/// in an array, other pages in a dictionary.
///
/// A word is any nonzero number; 0 means that a key has no word. The words of an ``IdentityMap`` are
/// addresses of objects, and those of a ``RowTable`` are positions of rows.
package final class PagedTable {
    /// The number of pages for which the array may always grow: 32 KiB of memory, for keys up to
    /// 262,144.
    private static let freePageCount = 4096

    /// The store and root entity that all keys belong to.
    package let space: UInt64
    /// The pages by page number. This is unsafe memory because the checks of an array would cost as much
    /// as the lookup.
    private var dense: UnsafeMutablePointer<WordPage?>
    private var denseCount = 0
    /// The other pages. Exclusivity checking is disabled, as in ``IdentityMap``.
    @exclusivity(unchecked) private var sparse: [Int64: WordPage] = [:]
    private var pageCount = 0

    package init(space: UInt64) {
        self.space = space
        dense = .allocate(capacity: 0)
    }

    deinit {
        for number in 0..<denseCount { dense[number]?.deallocate() }
        dense.deallocate()
        for page in sparse.values { page.deallocate() }
    }

    /// The word of a key, or 0 if the key has no word.
    @inline(__always) package subscript(key: Int64) -> UInt {
        let word = denseWord(of: key)
        if word != 0 || sparse.isEmpty { return word }
        return sparse[Self.pageNumber(key)]?[Self.index(key)] ?? 0
    }

    /// Returns the word of a key if the key's page is in the array, and 0 otherwise.
    @inline(__always) package func denseWord(of key: Int64) -> UInt {
        let number = Self.pageNumber(key)
        guard number < Int64(denseCount), let page = dense[Int(number)] else { return 0 }
        return page[Self.index(key)]
    }

    /// Sets the word of a key; 0 removes it. Returns whether the number of words changed.
    package func set(_ word: UInt, for key: Int64) -> Bool {
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

    /// All words, ordered by key.
    package var words: [UInt] {
        let pages =
            (0..<denseCount).compactMap { number in dense[number].map { (Int64(number), $0) } }
            + sparse.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        return pages.flatMap { $0.1.words }
    }

    /// Checks the table's invariants. Used by tests.
    ///
    /// - Throws: A description of the invariant that does not hold.
    package func checkInvariants() throws(BrokenInvariant) {
        let pages = (0..<denseCount).compactMap { dense[$0] } + sparse.values
        guard pages.count == pageCount else {
            throw BrokenInvariant("\(pages.count) pages are there, and \(pageCount) are counted")
        }
        guard sparse.keys.allSatisfy({ $0 >= Int64(denseCount) }) else {
            throw BrokenInvariant("a page of the dictionary belongs into the array")
        }
        for page in pages { try page.checkInvariants() }
    }

    /// Returns the number of the page that contains a key. Permanent keys count up from 1 and temporary
    /// keys count down from −1, so both map to page numbers from 0. They cannot collide, because
    /// temporary keys have their own space and therefore their own table.
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

    /// Whether the array may grow to include this page. It may have at most 16 empty entries for each
    /// page in use.
    private func isDense(_ number: Int64) -> Bool {
        number < Int64(Self.freePageCount + 16 * pageCount)
    }

    /// Enlarges the array, and moves the dictionary's pages that are now in its range into it.
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

/// An invariant that does not hold. Thrown by `checkInvariants()` of structures that manage their own
/// memory.
package struct BrokenInvariant: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
