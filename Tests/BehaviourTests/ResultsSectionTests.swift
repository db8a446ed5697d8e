import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Sections of fetched results` {
    private static func sections(
        _ context: ManagedObjectContext, by key: String, of entity: String = "Sample"
    ) throws -> [String] {
        var request = FetchRequest<ManagedObject>(entity)
        request.sortDescriptors = [FetchSortDescriptor(key)]
        let controller = FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: key)
        try controller.performFetch()
        return (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
    }

    private func inSamples(
        _ type: StoreType, _ key: String, _ values: [any Sendable],
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try inLibrary(type) { context throws in
            for value in values { _ = try context.insert("Sample", [key: value]) }
            try body(context)
            try context.save()
            try body(context)
        }
    }

    @Test(arguments: chosenEngines)
    func `by a Boolean are named 0 and 1`(_ type: StoreType) throws {
        try inSamples(type, "flag", [true, false, true]) { context throws in
            #expect(try Self.sections(context, by: "flag") == ["0: 1", "1: 2"])
        }
    }

    @Test(arguments: chosenEngines)
    func `by an integer are named by its digits`(_ type: StoreType) throws {
        try inSamples(type, "int64", [-1, 12, 12]) { context throws in
            #expect(try Self.sections(context, by: "int64") == ["-1: 1", "12: 2"])
        }
    }

    @Test(arguments: chosenEngines)
    func `by a whole double are named without a fraction`(_ type: StoreType) throws {
        try inSamples(type, "double", [1.0, 1.5]) { context throws in
            #expect(try Self.sections(context, by: "double") == ["1: 1", "1.5: 1"])
        }
    }

    @Test(arguments: chosenEngines)
    func `by a decimal are named by its digits`(_ type: StoreType) throws {
        try inSamples(type, "decimal", [Decimal(2), Decimal(string: "2.5")!]) { context throws in
            #expect(try Self.sections(context, by: "decimal") == ["2: 1", "2.5: 1"])
        }
    }

    @Test(arguments: chosenEngines)
    func `by a text are named by the text, and by an empty one without a value`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context throws in
            for text in ["a", "b", "a"] { _ = try context.insert("Sample", ["text": text]) }
            _ = try context.insert("Sample")

            #expect(try Self.sections(context, by: "text") == [": 1", "a: 2", "b: 1"])
        }
    }

    @Test(arguments: chosenEngines)
    func `follow an object whose Boolean changes`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let samples = try [false, false].map { try context.insert("Sample", ["flag": $0]) }
            var request = FetchRequest<ManagedObject>("Sample")
            request.sortDescriptors = [FetchSortDescriptor("flag")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "flag")
            try controller.performFetch()
            try samples[0].setValue(true, forKey: "flag")
            context.processPendingChanges()

            #expect(controller.sections?.map(\.name) == ["0", "1"])
            #expect(controller.indexPath(for: samples[0]) == IndexPath(item: 0, section: 1))
        }
    }

    @Test(arguments: chosenEngines)
    func `by a path over a to-one are named by its value`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            for name in ["A", "B"] {
                let author = try context.insert("Author", ["name": name])
                _ = try context.insert("Book", ["title": "by \(name)", "author": author])
            }

            let found = try Self.sections(context, by: "author.name", of: "Book")
            #expect(found == ["A: 1", "B: 1"])
        }
    }
}
