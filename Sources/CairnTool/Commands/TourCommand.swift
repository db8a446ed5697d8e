import ArgumentParser
import Cairn
import Foundation

/// The `cairn tour` command, which demonstrates Cairn on a store, from opening it to timing every engine.
struct TourCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Shows a store, follows its relationships, and loads it into every engine.",
        discussion: """
            The store is opened as read-only and is not changed. The engines write to a temporary \
            folder that is removed at the end.
            """)

    @OptionGroup var arguments: StoreArguments

    func run() throws {
        let store = try ToolStore(arguments)
        try store.requireNoPendingSave()
        let model = try store.model()
        let source = try Stack(
            model: model, type: store.metadata.type, url: store.location.url,
            options: [.readOnly: true])
        try describe(store, model: model)
        try walk(source)
        try loadEverywhere(from: source, model: model)
    }

    private func describe(_ store: ToolStore, model: ManagedObjectModel) throws {
        let counts = try store.entityCounts()
        try Output.line(
            "\(store.location): \(store.metadata.type) store \(store.metadata.identifier)")
        let rows = model.entities.filter { !$0.isAbstract }.map { entity in
            [
                entity.name, counts[entity.name].map(String.init) ?? "",
                "\(entity.attributes.count)", "\(entity.relationships.count)",
            ]
        }
        try Output.line(
            TextGrid(
                headings: ["entity", "objects", "attributes", "relationships"],
                rightAligned: [1, 2, 3]
            ).text(of: rows))
    }

    private func walk(_ source: Stack) throws {
        try Output.line("\nRelationships, followed through faults:")
        let lines = try source.context.performAndWait { context in
            try FaultWalk(context: context).lines(atMost: 12)
        }
        for line in lines { try Output.line("  " + line) }
    }

    private func loadEverywhere(from source: Stack, model: ManagedObjectModel) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cairn-tour-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Output.line("\nThe same objects in every engine, selected by its type string:")
        let loader = try GraphLoader(source.store)
        var rows: [[String]] = []
        for type in StoreRegistry.builtIn.types {
            let trial = EngineTrial(type: type, folder: folder, model: model)
            rows.append(try trial.run(loading: loader).cells)
        }
        try Output.line(
            TextGrid(
                headings: EngineTrial.Outcome.headings,
                rightAligned: Set(1..<EngineTrial.Outcome.headings.count)
            ).text(of: rows))
    }
}
