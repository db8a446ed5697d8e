import ArgumentParser
import Cairn
import Foundation

/// `cairn store query`: fetches and prints objects.
struct StoreQueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Fetches objects of an entity.",
        discussion: """
            Without --select, prints each stored property, and of a to-many relationship the number of \
            its members. Dates in JSON and CSV are as --dates says.
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

    @Option(parsing: .unconditional, help: "The entity; objects of its subentities match too.")
    var entity: String

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: "A predicate in NSPredicate's format syntax.")
    var condition: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The columns, with commas between them: names of properties, paths along to-one"
                + " relationships (author.name), and SELF for the object.",
            valueName: "paths"))
    var select: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many members of each to-many relationship to name: a number, or all. 0 prints only how"
                + " many there are.", valueName: "n"))
    var members = MemberLimit(0)

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A key path to sort by; “:desc” after it reverses the order. Several have commas between"
                + " them, or an option each.", valueName: "key"))
    var sort: [String] = []

    @Option(parsing: .unconditional, help: "The most objects.")
    var limit: Int?

    @Option(parsing: .unconditional, help: "How many objects to pass over.")
    var offset = 0

    @Flag(help: "Print how many objects match, nothing else.")
    var count = false

    @Option(help: "How to print.")
    var format = Format.table

    func validate() throws {
        guard offset >= 0 else { throw ValidationError("--offset takes a number from 0.") }
        guard limit.map({ $0 >= 0 }) ?? true else {
            throw ValidationError("--limit takes a number from 0.")
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
                ofType: store.metadata.type, configurationName: nil, at: store.location.fileURL,
                options: [.readOnly: true])
            prefixes[added.number] = tool.prefix(ofStoreAt: index)
        }
        if count {
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
            else { throw ToolFailure("“\(text)” is not a sort: write key, key:asc or key:desc.") }
            return BoundSort(
                try BoundPath(keyPath: String(keyPath), entity: entity),
                isAscending: parts.count == 1 || parts[1] == "asc")
        }
        return plan
    }
}

extension String {
    /// Returns the parts between commas, without the spaces around them.
    fileprivate var commaSeparated: [String] {
        split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
