import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A transformable attribute in a predicate` {
    @Test(arguments: chosenEngines)
    func `is compared by its bytes, and has no order`(_ type: StoreType) throws {
        let stack = try Notebook.stack(type)
        try stack.fill { context throws in
            _ = try context.insert("Note", ["title": "a", "tags": ["x": 1, "y": 2]])
            _ = try context.insert("Note", ["title": "b", "tags": ["z"]])
        }
        // Equal values have equal archives, regardless of the order of a dictionary.
        let bytes = try (["y": 2, "x": 1] as ArchivableValue).keyedArchive()

        try stack.inContext { context throws in
            var request = FetchRequest<ManagedObject>("Note")
            request.predicate = try FetchPredicate(format: "tags == %@", bytes)
            #expect(try context.fetch(request).map { try $0["title"] } == ["a"])
            request.predicate = try FetchPredicate(format: "tags != %@", bytes)
            #expect(try context.fetch(request).map { try $0["title"] } == ["b"])
            for format in ["tags < %@", "tags CONTAINS %@"] {
                request.predicate = try FetchPredicate(format: format, bytes)
                #expect(throws: GraphError.self) { try context.fetch(request) }
            }
            request.predicate = nil
            request.sortDescriptors = [FetchSortDescriptor("tags")]
            #expect(throws: GraphError.self) { try context.fetch(request) }
        }
    }

    @Test(arguments: chosenEngines)
    func `is compared by its bytes in a fetched property`(_ type: StoreType) throws {
        let stack = try Notebook.stack(type)
        try stack.fill { context throws in
            for (title, tag) in [("a", "x"), ("b", "x"), ("c", "y")] {
                _ = try context.insert("Note", ["title": title, "tags": [tag]])
            }
        }

        try stack.inContext { context throws in
            let note = try context.only("Note", where: "title == 'a'")
            let same = try note.value(forKey: "sameTags") as? [ManagedObject] ?? []
            #expect(Set(try same.map { try $0["title"] }) == ["a", "b"])
        }
    }
}
