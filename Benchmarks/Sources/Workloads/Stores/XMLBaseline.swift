import Baselines
import Foundation

/// libxml2's writer on the items of a store: the baseline.
struct XMLBaseline {
    /// What the first item's price is set to before the file is written.
    static let newPrice = 123.25

    private let arena: ItemArena
    private let head: String
    private let folderCount: Int

    /// Takes everything before the first object from a store that Cairn wrote.
    ///
    /// - Throws: where that cannot be read.
    init(_ setting: Setting) throws {
        let text = try String(contentsOf: try setting.itemsURL(), encoding: .utf8)
        head = text.range(of: "<object").map { String(text[..<$0.lowerBound]) } ?? text
        folderCount = setting.groupCount
        var values = setting.shelf.values(setting.size)
        values[0].price = Self.newPrice
        arena = ItemArena(values)
        arena.items[0].version = 2
    }

    /// Writes the file.
    ///
    /// - Throws: ``BaselineFailure``.
    func write(to url: URL) throws {
        let code = bl_xml_write(
            url.path, head, arena.items.baseAddress, Int64(arena.items.count), Int64(folderCount))
        try Self.check(code, "write \(url.path)")
    }

    /// - Throws: ``BaselineFailure`` where the code is one of a failure.
    static func check(_ code: Int32, _ operation: String) throws {
        guard code != 0 else { return }
        throw BaselineFailure(
            library: "libxml2", operation: operation, code: code, message: "see xmlerror.h")
    }
}
