import ArgumentParser
import Cairn
import CairnStore
import Foundation

/// The `cairn store query` command, which fetches objects of an entity.
struct StoreQueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Fetches objects of an entity.",
        discussion: """
            Without --select, prints each stored property. A to-many relationship is printed as the \
            number of its members. The option --dates determines how dates are written in JSON and CSV.
            Example: cairn store query Trails.sqlite --entity Hut --select name,beds,keeper.name \
            --where 'beds > 20 AND name BEGINSWITH[c] "a"' --sort elevation:desc --limit 5
            """)

    /// The format in which the objects are printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv
    }

    @OptionGroup var arguments: StoresArguments

    @OptionGroup var missingData: MissingDataOption

    @OptionGroup var dates: DateOption

    @Option(
        parsing: .unconditional, help: "The entity. Objects of its subentities are fetched, too.")
    var entity: String

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: "A predicate in NSPredicate's format syntax.")
    var condition: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The columns, separated by commas: names of properties, paths along to-one"
                + " relationships (author.name), and SELF for the object.",
            valueName: "paths"))
    var select: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many members of each to-many relationship to print: a number, or all. 0 prints only the"
                + " number of members.", valueName: "n"))
    var members = MemberLimit(0)

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A key path to sort by. Append “:desc” to reverse the order. Separate several key paths by"
                + " commas, or repeat the option.", valueName: "key"))
    var sort: [String] = []

    @Option(parsing: .unconditional, help: "The maximum number of objects.")
    var limit: Int?

    @Option(parsing: .unconditional, help: "How many objects to skip.")
    var offset = 0

    @Flag(help: "Print only the number of objects that match.")
    var count = false

    @Flag(
        help: ArgumentHelp(
            "Print how each store finds the objects instead of the objects: what its engine does and what"
                + " is left to memory, the index, and the number of rows that are read."))
    var explain = false

    @Option(help: "The format of the output.")
    var format = Format.table

    func validate() throws {
        guard offset >= 0 else { throw ValidationError("--offset must be 0 or greater.") }
        guard !(count && explain) else {
            throw ValidationError("Give either --count or --explain.")
        }
        guard limit.map({ $0 >= 0 }) ?? true else {
            throw ValidationError("--limit must be 0 or greater.")
        }
    }

    func run() throws {
        let tool = try ToolStores(arguments)
        let model = try tool.model()
        let plan = try plan(model)
        let columns = try columns(of: plan.entity)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: .builtIn)
        var prefixes: [StoreNumber: String] = [:]
        for (index, store) in tool.members.enumerated() {
            try store.requireNoPendingSave()
            let added = try coordinator.addPersistentStore(
                ofType: store.metadata.type, configurationName: nil, at: store.location.url,
                options: [.readOnly: true])
            prefixes[added.number] = tool.prefix(ofStoreAt: index)
        }
        if explain {
            for store in try coordinator.explain(plan, in: nil) { try Output.line("\(store)") }
        } else if count {
            try Output.line("\(try coordinator.count(plan, in: nil))")
        } else {
            let rows = try coordinator.fetch(plan, in: nil)
            var printer = QueryPrinter(
                QueryReader(coordinator: coordinator, memberLimit: members.count),
                columns: columns, prefixes: prefixes, dates: dates.form)
            try printer.print(rows, as: format)
            try printer.missing.finish(missingData)
        }
    }

    private func columns(of entity: Entity) throws -> [QueryColumn] {
        let paths = select.flatMap { $0.commaSeparated }
        return paths.isEmpty
            ? QueryColumn.all(of: entity) : try paths.map { try QueryColumn($0, of: entity) }
    }

    private func plan(_ model: ManagedObjectModel) throws -> FetchPlan {
        guard let entity = model.entity(named: entity) else {
            throw GraphError.unknownEntity(self.entity, known: model.entities.map(\.name))
        }
        var plan = FetchPlan(entity: entity, offset: offset, limit: limit)
        plan.predicate = try condition.map { try FetchPredicate(format: $0).bound(to: entity) }
        plan.sorts = try sort.flatMap { $0.commaSeparated }.map { text in
            let parts = text.split(separator: ":", maxSplits: 1)
            guard let keyPath = parts.first, parts.count == 1 || ["asc", "desc"].contains(parts[1])
            else { throw ToolFailure("“\(text)” is not a sort. Write key, key:asc or key:desc.") }
            return BoundSort(
                try BoundPath(keyPath: String(keyPath), entity: entity),
                isAscending: parts.count == 1 || parts[1] == "asc")
        }
        return plan
    }
}

extension String {
    /// The parts between the commas, without surrounding spaces.
    fileprivate var commaSeparated: [String] {
        split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
