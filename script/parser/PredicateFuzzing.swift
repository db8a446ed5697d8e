// What libFuzzer calls with each text that it makes. `script/check-parser` builds this file together with the sources of
// CairnModel, so that the coverage of the parser guides libFuzzer.
//
// A text either throws an error of the parser, or is a predicate whose description reads back as an equal predicate. Binding
// it to an entity ends, too. With CAIRN_PLANT_TRAP=1, one kind of predicate traps, to show that a trap is found.

import Foundation

private let isPlanted = ProcessInfo.processInfo.environment["CAIRN_PLANT_TRAP"] != nil

private let author: Entity? = {
    let model = try? ManagedObjectModel([
        EntityDescription(
            "Author",
            [
                .attribute("name", .string), .attribute("born", .date),
                .toMany("books", "Book", inverse: "author"),
            ]),
        EntityDescription(
            "Book",
            [
                .attribute("title", .string), .attribute("pages", .integer32),
                .attribute("price", .decimal), .toOne("author", "Author", inverse: "books"),
            ]),
    ])
    return model?.entities.first { $0.name == "Author" }
}()

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    let predicate: FetchPredicate
    do {
        predicate = try FetchPredicate(format: text)
    } catch {
        _ = error.description
        return 0
    }
    if isPlanted {
        // Operators that no text has at the beginning.
        let text = predicate.description
        precondition(
            ![" != ", " CONTAINS ", " ENDSWITH "].contains(where: text.contains),
            "the planted trap")
    }
    do {
        let again = try FetchPredicate(format: predicate.description)
        precondition(again == predicate, "“\(predicate)” reads back as “\(again)”")
    } catch .tooDeep {
        // The description may have more parentheses than the text.
    } catch {
        preconditionFailure("“\(predicate)” does not read back: \(error)")
    }
    if let author { _ = try? predicate.bound(to: author) }
    return 0
}
