/// The trees of a file's newest state, read without mapping the file.
///
/// For the layout, see mdb.c: `MDB_page`, `MDB_node`, and the tree of free pages, which holds lists
/// of page numbers by transaction number.
struct TreePages {
    private static let headerByteCount = 16
    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02
    private static let overflowNode: UInt16 = 0x01
    /// The maximum depth of LMDB's trees (`CURSOR_STACK`).
    private static let deepest = 32

    let meta: FileMeta
    /// Reads bytes at an offset. Returns `nil` if the file is shorter.
    let read: (_ offset: Int, _ count: Int) -> [UInt8]?

    /// Returns the first key of a tree, or `nil` if the tree is empty or cannot be read.
    func firstKey(below root: UInt64) -> [UInt8]? {
        var number = root
        for _ in 0..<Self.deepest {
            guard number <= meta.lastPage,
                let page = read(Int(number) * meta.pageByteCount, meta.pageByteCount)
            else { return nil }
            let flags: UInt16 = page.integer(at: 10)
            let lower: UInt16 = page.integer(at: 12)
            guard Int(lower) > Self.headerByteCount else { return nil }
            let pointer: UInt16 = page.integer(at: Self.headerByteCount)
            let node = Node(page, at: Int(pointer))
            if flags & Self.leaf != 0 {
                return Array(page[..<min(node.dataOffset, page.count)].dropFirst(Int(pointer) + 8))
            }
            guard flags & Self.branch != 0 else { return nil }
            number = node.child
        }
        return nil
    }

    /// Returns whether all given pages are free. Returns `false` if the tree of free pages cannot
    /// be read.
    func areFree(_ pages: ClosedRange<UInt64>) -> Bool {
        guard pages.count <= 1 << 20, meta.freeRoot != FileMeta.noPage else { return false }
        var search = Search(missing: Set(pages))
        return visit(meta.freeRoot, depth: 0, &search) && search.missing.isEmpty
    }

    /// The state of a search in the tree of free pages.
    private struct Search {
        var missing: Set<UInt64>
        /// The visited pages. Each page occurs in a tree only once. Without this check, the search would not
        /// end if a damaged tree contained a cycle.
        var visited: Set<UInt64> = []
    }

    private func visit(_ number: UInt64, depth: Int, _ search: inout Search) -> Bool {
        guard depth < Self.deepest, number <= meta.lastPage, search.visited.insert(number).inserted,
            let page = read(Int(number) * meta.pageByteCount, meta.pageByteCount)
        else { return false }
        let flags: UInt16 = page.integer(at: 10)
        let lower: UInt16 = page.integer(at: 12)
        for index in 0..<max(0, Int(lower) - Self.headerByteCount) / 2 {
            let pointer: UInt16 = page.integer(at: Self.headerByteCount + 2 * index)
            let node = Node(page, at: Int(pointer))
            if flags & Self.branch != 0 {
                guard visit(node.child, depth: depth + 1, &search) else { return false }
            } else if flags & Self.leaf != 0 {
                guard let list = list(of: node, in: page) else { return false }
                take(list, from: &search.missing)
            } else {
                return false
            }
        }
        return true
    }

    private struct Node {
        let child: UInt64
        let dataByteCount: Int
        let flags: UInt16
        let dataOffset: Int

        init(_ page: [UInt8], at offset: Int) {
            let low: UInt16 = page.integer(at: offset)
            let high: UInt16 = page.integer(at: offset + 2)
            flags = page.integer(at: offset + 4)
            let keyByteCount: UInt16 = page.integer(at: offset + 6)
            dataByteCount = Int(low) | Int(high) << 16
            child = UInt64(low) | UInt64(high) << 16 | UInt64(flags) << 32
            dataOffset = offset + 8 + Int(keyByteCount)
        }
    }

    /// Returns the list in a leaf's node. The list is stored either in the same page or in overflow pages.
    private func list(of node: Node, in page: [UInt8]) -> [UInt8]? {
        guard node.flags & Self.overflowNode != 0 else {
            return Array(page.dropFirst(node.dataOffset).prefix(node.dataByteCount))
        }
        let number: UInt64 = page.integer(at: node.dataOffset)
        guard number <= meta.lastPage else { return nil }
        return read(
            Int(number) * meta.pageByteCount + Self.headerByteCount, node.dataByteCount)
    }

    private func take(_ list: [UInt8], from missing: inout Set<UInt64>) {
        for offset in stride(from: 8, to: list.count, by: 8) {
            missing.remove(list.integer(at: offset))
        }
    }
}
