import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// `docs/options.md` lists exactly the existing options.
@Suite struct `The page of options` {
    /// The rows of the tables under each second-level heading, as cells.
    private let tables: [String: [[String]]]

    init() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/options.md"), encoding: .utf8)
        var tables: [String: [[String]]] = [:]
        var heading = ""
        for line in page.split(separator: "\n") {
            if line.hasPrefix("## ") {
                heading = String(line.dropFirst(3)).replacing("`", with: "")
            }
            guard line.hasPrefix("| `") else { continue }
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            tables[heading, default: []].append(cells)
        }
        self.tables = tables
    }

    private func options(of heading: String) -> [StoreOption] {
        (tables[heading] ?? []).map { StoreOption(rawValue: $0[0].replacing("`", with: "")) }
    }

    @Test(arguments: everyEngine)
    func `has exactly the options of each engine`(_ type: StoreType) throws {
        let engine = try StoreRegistry.builtIn.engine(ofType: type)

        let listed = options(of: type.rawValue)

        #expect(Set(listed) == engine.capabilities.options)
        #expect(listed.count == engine.capabilities.options.count)
    }

    /// The coordinator removes these options before it passes the others to an engine.
    @Test func `has exactly the options of the coordinator`() throws {
        let listed = options(of: "The coordinator")
        let properties = Mirror(reflecting: try CoordinatorOptions([:])).children.compactMap(
            \.label)

        for option in listed {
            // The value of an option is a Boolean or a number.
            let taken =
                try (try? CoordinatorOptions([option: false])) ?? CoordinatorOptions([option: 1])
            #expect(taken.engineOptions == [:], "\(option)")
        }
        // Two options are limits of the history, which are one property.
        #expect(listed.count - 1 == properties.filter { $0 != "engineOptions" }.count)
    }

    @Test(arguments: everyEngine)
    func `has the text of the error for a wrong value`(_ type: StoreType) throws {
        let engine = try StoreRegistry.builtIn.engine(ofType: type)
        let model = try ManagedObjectModel([])
        let folder = try TemporaryFolder()
        let location: StoreLocation =
            type == .inMemory ? .memory("options") : .file(folder.file("options.store"))

        for cells in tables[type.rawValue] ?? [] {
            let option = StoreOption(rawValue: cells[0].replacing("`", with: ""))
            let request = OpenRequest(
                location: location, model: model, options: [option: .date(Date())])

            let error = #expect(throws: StoreError.self) { _ = try engine.open(request) }

            guard case .invalidOption(option, let detail)? = error else {
                Issue.record("\(option): \(error as Any)")
                continue
            }
            #expect(cells[4].contains("“\(detail)”"), "\(option): \(detail)")
        }
    }
}
