// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// A program that depends on Cairn by URL resolves and builds only the library. It asks for more by traits:
//
//     .package(url: "https://…/cairn", from: "0.1.0", traits: ["Macros"])
//
// In a clone, and in a package that depends on one by its path, both are on unless it names traits.
let isFetched =
    Context.packageDirectory.split(separator: "/").dropLast().last.map { $0 == "checkouts" } ?? true

/// Returns a product that is fetched only if a trait is on.
func product(_ name: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait, "All"]))
}

let package = Package(
    name: "cairn",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Cairn", targets: ["Cairn"]),
        .executable(name: "cairn", targets: ["CairnCommand"]),
        .library(name: "CairnModel", targets: ["CairnModel"]),
        .library(name: "CairnFiles", targets: ["CairnFiles"]),
        .library(name: "CairnRows", targets: ["CairnRows"]),
        .library(name: "CairnStore", targets: ["CairnStore"]),
        .library(name: "CairnEngineKit", targets: ["CairnEngineKit"]),
        .library(name: "CairnThreads", targets: ["CairnThreads"]),
        .library(name: "CairnAtomicStore", targets: ["CairnAtomicStore"]),
        .library(name: "CairnStack", targets: ["CairnStack"]),
        .library(name: "CairnObjects", targets: ["CairnObjects"]),
        .library(name: "CairnQueries", targets: ["CairnQueries"]),
        .library(name: "CairnGraphFiles", targets: ["CairnGraphFiles"]),
        .library(name: "CairnModelArchive", targets: ["CairnModelArchive"]),
        .library(name: "CairnModelFiles", targets: ["CairnModelFiles"]),
        .library(name: "CairnConformance", targets: ["CairnConformance"]),
        .library(name: "CairnBenchmarks", targets: ["CairnBenchmarks"]),
        .plugin(name: "CairnClasses", targets: ["CairnClasses"]),
        .library(name: "CairnMacros", targets: ["CairnMacros"]),
        .library(name: "CairnTesting", targets: ["CairnTesting"]),
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
    ],
    traits: [
        .trait(name: "Macros", description: "CairnMacros: classes that are entities, by macro."),
        .trait(
            name: "Tool",
            description: "The command cairn, and CairnBenchmarks."),
        // One name instead of both, because SwiftPM passes the names of the traits to the compiler in the order of
        // a set, which differs from plan to plan: after half of them, everything would be compiled again.
        .trait(name: "All", description: "What both other traits ask for."),
        .default(enabledTraits: isFetched ? [] : ["All"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
        // Only CairnMacros needs swift-syntax. Programs that do not import CairnMacros build none
        // of it.
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // Schemas, values, predicates and version hashes, all as Sendable value types.
        .target(name: "CairnModel"),
        // Cairn's own threads: the executor of turns, and locks that are granted in order of
        // request.
        .target(
            name: "CairnThreads",
            dependencies: [
                "CairnCLinux", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // Files that are written durably and replaced as a whole. No other module writes files.
        .target(name: "CairnFiles", dependencies: ["CairnCLinux"]),
        // The parts of Linux's C library that Swift does not export, and the current thread's
        // number.
        .systemLibrary(name: "CairnCLinux"),
        // Starts other processes, communicates with them, waits for them and kills them.
        .target(name: "CairnProcesses", dependencies: ["CairnCLinux"]),
        // The packed row: layouts, batches, writers, codecs, and tables of rows in memory.
        .target(name: "CairnRows", dependencies: ["CairnModel"]),
        // The contract between the object graph and the store engines.
        .target(
            name: "CairnStore",
            dependencies: ["CairnFiles", "CairnModel", "CairnRows", "CairnThreads"]),
        // What several engines need: evaluation of fetches on rows, locks, derived values, watching.
        .target(
            name: "CairnEngineKit",
            dependencies: ["CairnFiles", "CairnModel", "CairnRows", "CairnStore", "CairnThreads"]),
        // The common part of engines that write a store as a whole: files, locks and saves.
        .target(
            name: "CairnAtomicStore",
            dependencies: [
                "CairnEngineKit", "CairnFiles", "CairnModel", "CairnModelArchive", "CairnRows",
                "CairnStore", "CairnThreads",
            ]),
        // The engine whose stores exist only as long as the process.
        .target(
            name: "CairnMemory", dependencies: ["CairnAtomicStore", "CairnStore"]),
        // The engine that stores packed rows in one file of its own format, which it writes as a
        // whole.
        .target(
            name: "CairnBinary",
            dependencies: [
                "CairnAtomicStore", "CairnEngineKit", "CairnFiles", "CairnModel", "CairnRows",
                "CairnStore",
            ]),
        // The engine that reads and writes Core Data's XML stores.
        .target(
            name: "CairnXML",
            dependencies: [
                "CairnAtomicStore", "CairnEngineKit", "CairnFiles", "CairnModel", "CairnRows",
                "CairnSAX", "CairnStore",
            ]),
        // Atomic saves to several stores in files: the redo journal and its recovery.
        .target(
            name: "CairnSaveJournal",
            dependencies: [
                "CairnEngineKit", "CairnFiles", "CairnModel", "CairnModelArchive", "CairnRows",
                "CairnStore",
                "CairnThreads",
            ]),
        // The coordinator of several stores: opening, reading, the row cache, saving.
        .target(
            name: "CairnStack",
            dependencies: [
                "CairnEngineKit", "CairnModel", "CairnRows", "CairnSaveJournal", "CairnStore",
                "CairnThreads", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Foundation's undo manager, which Linux lacks.
        .target(name: "CairnUndo", dependencies: ["CairnStack", "CairnThreads"]),
        // Objects and contexts: faulting, relationships, events, undo, merging, saving.
        .target(
            name: "CairnObjects",
            dependencies: [
                "CairnCLinux", "CairnEngineKit", "CairnModel", "CairnRows", "CairnStack",
                "CairnStore", "CairnThreads", "CairnUndo",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // The container, Swift predicates, snapshots for other tasks, results controllers.
        .target(
            name: "CairnQueries",
            dependencies: [
                "CairnEngineKit", "CairnModel", "CairnObjects", "CairnRows", "CairnStack",
                "CairnStore", "CairnThreads",
            ]),
        // Copies, moves, replaces and removes stores, by means of engines and files, without the
        // graph.
        .target(
            name: "CairnStoreCopying",
            dependencies: [
                "CairnEngineKit", "CairnFiles", "CairnModel", "CairnRows", "CairnStore",
                "CairnThreads",
            ]),
        // The coordinator's methods that copy, move, replace, destroy and migrate stores.
        .target(
            name: "CairnGraphFiles",
            dependencies: [
                "CairnModel", "CairnObjects", "CairnStack", "CairnStore", "CairnStoreCopying",
                "CairnThreads",
            ]),
        // A model as a keyed archive, and raw deflate: the form in which stores contain their
        // model.
        .target(name: "CairnModelArchive", dependencies: ["CairnModel"]),
        // Readers and writers of .xcdatamodeld, .momd and .mom.
        .target(
            name: "CairnModelFiles",
            dependencies: ["CairnFiles", "CairnModel", "CairnModelArchive", "CairnSAX"]),
        // Generates the Swift classes of a model as source files.
        .target(name: "CairnModelCode", dependencies: ["CairnModel"]),
        // An event-based XML parser on top of libxml2, for XML stores and source models.
        .target(name: "CairnSAX", dependencies: ["CairnCLibXML2"]),
        // The system's libxml2.
        .systemLibrary(
            name: "CairnCLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        // The system's SQLite library.
        .systemLibrary(
            name: "CairnCSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // The translation of predicates and sorts to SQL, for engines on databases.
        .target(name: "CairnSQL", dependencies: ["CairnModel", "CairnStore"]),
        // The engine that reads and writes Core Data's SQLite stores.
        .target(
            name: "CairnSQLite",
            dependencies: [
                "CairnCSQLite", "CairnEngineKit", "CairnFiles", "CairnModel", "CairnModelArchive",
                "CairnRows", "CairnSQL", "CairnStore", "CairnThreads",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // The system's LMDB library.
        .systemLibrary(
            name: "CairnCLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        // The engine that stores packed rows in an LMDB file.
        .target(
            name: "CairnLMDB",
            dependencies: [
                "CairnCLMDB", "CairnEngineKit", "CairnFiles", "CairnModel", "CairnModelArchive",
                "CairnRows", "CairnStore", "CairnThreads",
            ]),
        // The umbrella module: exports all other modules, and registers all built-in engines.
        .target(
            name: "Cairn",
            dependencies: [
                "CairnBinary", "CairnGraphFiles", "CairnLMDB", "CairnMemory", "CairnModel",
                "CairnModelFiles", "CairnObjects", "CairnQueries", "CairnRows", "CairnSQLite",
                "CairnStack", "CairnStore", "CairnThreads", "CairnUndo", "CairnXML",
            ]),

        // Core Data's own names, for platforms without Apple's framework.
        .target(name: "CoreData", dependencies: ["Cairn"]),

        // The macros that declare entities as classes, in a product of their own.
        .target(name: "CairnMacros", dependencies: ["Cairn", "CairnMacroPlugin"]),
        // The compiler plug-in that expands the macros.
        .macro(
            name: "CairnMacroPlugin",
            dependencies: [
                product("SwiftCompilerPlugin", of: "swift-syntax", for: "Macros"),
                product("SwiftDiagnostics", of: "swift-syntax", for: "Macros"),
                product("SwiftSyntax", of: "swift-syntax", for: "Macros"),
                product("SwiftSyntaxBuilder", of: "swift-syntax", for: "Macros"),
                product("SwiftSyntaxMacros", of: "swift-syntax", for: "Macros"),
            ]),

        // SwiftData's own names, for platforms without Apple's framework.
        .target(
            name: "SwiftData",
            dependencies: [
                "Cairn", "CairnCLinux", "CairnGraphFiles", "CairnMacroPlugin", "CairnModel",
                "CairnObjects", "CairnQueries", "CairnRows", "CairnStack", "CairnStore",
                "CairnThreads",
            ]),

        // For the tests of programs: containers, fixtures, a graph as text, and stores that fail.
        .target(
            name: "CairnTesting", dependencies: ["Cairn", "CairnFiles", "CairnModel", "CairnStore"]),

        // The conformance kit, which tests an engine against every promise of the contract.
        .target(
            name: "CairnConformance",
            dependencies: [
                "CairnEngineKit", "CairnModel", "CairnProcesses", "CairnRows", "CairnStore",
            ]),

        // A program that measures an engine of any author: rows, report, arguments. The package in
        // Benchmarks builds the same files again, with the C libraries and GRDB beside them.
        .target(
            name: "CairnBenchmarks",
            dependencies: [
                "Cairn", "CairnCHeap", "CairnConformance",
                product("ArgumentParser", of: "swift-argument-parser", for: "Tool"),
            ]),
        // The size of the process's heap.
        .systemLibrary(name: "CairnCHeap"),

        // The code of the `cairn` command, with one file for each subcommand.
        .target(
            name: "CairnTool",
            dependencies: [
                "Cairn", "CairnConformance", "CairnFiles", "CairnModelCode", "CairnRows",
                "CairnSaveJournal", "CairnStore",
                product("ArgumentParser", of: "swift-argument-parser", for: "Tool"),
                product("TextTable", of: "TextTable", for: "Tool"),
            ]),

        // The `cairn` command itself.
        .executableTarget(name: "CairnCommand", dependencies: ["CairnTool"]),

        // Generates the classes of a target's models while the target is built.
        .plugin(
            name: "CairnClasses", capability: .buildTool(), dependencies: ["CairnClassWriter"]),
        // What that plug-in runs: a program that needs as little of Cairn as it can.
        .executableTarget(
            name: "CairnClassWriter",
            dependencies: ["CairnFiles", "CairnModel", "CairnModelCode", "CairnModelFiles"]),

        // MARK: Parts of Examples that tests run

        // The listings and scenarios of Examples/StartUp, so that tests run what the example shows.
        .target(
            name: "StartUpScenarios", dependencies: ["CoreData"],
            path: "Examples/StartUp/Sources/StartUpScenarios",
            resources: [.copy("Models/Notebook.xcdatamodeld")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // The server and clients of Examples/ManyTasks, so that tests run what the example shows.
        .target(
            name: "ManyTasksServer", dependencies: ["Cairn"],
            path: "Examples/ManyTasks/Sources/ManyTasksServer"),
        // The models and the commands of Examples/SharedModel, which tests compile unchanged and carry out.
        .target(
            name: "TodoModels", dependencies: ["SwiftData"],
            path: "Examples/SharedModel/Sources/TodoModels"),
        .target(
            name: "TodoPrograms", dependencies: ["SwiftData", "TodoModels"],
            path: "Examples/SharedModel/Sources/TodoPrograms"),
        // The arrangements of Examples/Freezing, so that tests run what the example measures.
        .target(
            name: "SaveArrangements", dependencies: ["Cairn"],
            path: "Examples/Freezing/Sources/SaveArrangements"),
        // The stack of Examples/ReadOnlyCatalog, so that tests run what the example shows.
        .target(
            name: "FieldGuide", dependencies: ["Cairn"],
            path: "Examples/ReadOnlyCatalog/Sources/FieldGuide"),
        // The engine of Examples/FolderStore, so that the conformance kit tests it.
        .target(
            name: "FolderStore",
            dependencies: ["CairnAtomicStore", "CairnModel", "CairnStore"],
            path: "Examples/FolderStore/Sources/FolderStore"),
        // The engine of Examples/LogStore, so that the conformance kit tests it.
        .target(
            name: "LogStore",
            dependencies: [
                "CairnEngineKit", "CairnFiles", "CairnModel", "CairnStore",
            ],
            path: "Examples/LogStore/Sources/LogStore"),
        // MARK: Programs whose linking is tested, and torture

        // A program that uses only the in-memory engine. Tests check which libraries it links.
        .executableTarget(
            name: "MemoryOnlyProgram",
            dependencies: ["CairnMemory", "CairnModel", "CairnObjects", "CairnStack"],
            path: "Tests/MemoryOnlyProgram"),
        // A program that moves and destroys stores of one engine. Tests check which libraries it
        // links.
        .executableTarget(
            name: "BinaryOnlyProgram",
            dependencies: ["CairnBinary", "CairnGraphFiles", "CairnModel", "CairnStack"],
            path: "Tests/BinaryOnlyProgram"),
        // The commands for the library that makes calls fail. script/torture builds and loads that
        // library.
        .systemLibrary(name: "TortureShim", path: "Tests/TortureShim"),
        // The program of script/torture: kills writers, makes their calls fail, and replaces their
        // files.
        .executableTarget(
            name: "Torture",
            dependencies: [
                "Cairn", "CairnProcesses", "CairnStack", "CairnStore", "CairnStoreCopying",
                "CairnTestSupport", "GraphSupport", "MigrationSupport", "StoreFileSupport",
                "TortureShim",
                product("ArgumentParser", of: "swift-argument-parser", for: "Tool"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Torture"),
        // MARK: Code that tests share

        // The corpus, temporary folders, random numbers, and the worker and the tool as processes.
        .target(
            name: "CairnTestSupport", dependencies: ["CairnProcesses"],
            path: "Tests/CairnTestSupport"),
        // The lists of engines that tests run on, stacks over stores of any engine, and classes for
        // any
        // model whose slots are in another order.
        .target(
            name: "GraphSupport",
            dependencies: ["Cairn", "CairnStore", "CairnTestSupport", "CairnTesting"],
            path: "Tests/GraphSupport"),
        // Stores of pictures, of counters and of every kind of value, and ways to damage their
        // files.
        .target(
            name: "StoreFileSupport",
            dependencies: [
                "Cairn", "CairnBinary", "CairnLMDB", "CairnModel", "CairnRows", "CairnSQLite",
                "CairnStore", "CairnTestSupport", "CairnXML", "FolderStore",
            ],
            path: "Tests/StoreFileSupport"),
        // Stacks over small models, and stores that a test controls, for the tests of the graph's modules.
        .target(
            name: "StackSupport",
            dependencies: [
                "CairnMemory", "CairnModel", "CairnObjects", "CairnRows", "CairnStack",
                "CairnStore", "CairnTesting", "CairnThreads",
            ],
            path: "Tests/StackSupport"),
        // Random models and stores, and the results that the rules of migrations predict for them.
        .target(
            name: "MigrationSupport", dependencies: ["Cairn", "CairnStore", "CairnTestSupport"],
            path: "Tests/MigrationSupport"),
        // Folders of SwiftData models in the manner of apps, which tests compile unchanged.
        .target(
            name: "ModelFolders", dependencies: ["SwiftData"], path: "Tests/ModelFolders"),
        // Checks with plain SQL that a database looks like a store written by Core Data.
        .target(
            name: "CoreDataCheckSupport", dependencies: ["CairnCSQLite", "CairnModel"],
            path: "Tests/CoreDataCheckSupport"),
        // Broken engines, each with a single fault, which the conformance kit must detect.
        .target(
            name: "BrokenEngineSupport",
            dependencies: [
                "CairnBinary", "CairnConformance", "CairnMemory", "CairnModel", "CairnRows",
                "CairnSQLite", "CairnStore", "ServedStoreSupport",
            ],
            path: "Tests/BrokenEngineSupport"),
        // An engine whose stores belong to a service and are not files.
        .target(
            name: "ServedStoreSupport",
            dependencies: [
                "CairnBinary", "CairnConformance", "CairnEngineKit", "CairnFiles", "CairnModel",
                "CairnRows", "CairnStore",
            ],
            path: "Tests/ServedStoreSupport"),
        // An engine whose stores live in another process, which it reaches over a Unix domain
        // socket.
        .target(
            name: "SocketStoreSupport",
            dependencies: [
                "CairnConformance", "CairnEngineKit", "CairnModel", "CairnModelArchive",
                "CairnProcesses", "CairnRows", "CairnStore",
            ],
            path: "Tests/SocketStoreSupport"),

        // MARK: Programs that tests run

        // The other process for every test that needs one: it saves, is killed, reads damaged
        // files, serves
        // stores over a socket, and tests engines with the kit's `ConformanceProgram`.
        .executableTarget(
            name: "TestWorker",
            dependencies: [
                "BrokenEngineSupport", "Cairn", "CairnBinary", "CairnConformance", "CairnLMDB",
                "CairnMemory", "CairnModel", "CairnRows", "CairnSQLite", "CairnStore", "CairnXML",
                "FolderStore", "GraphSupport", "LogStore", "ServedStoreSupport",
                "SocketStoreSupport", "StoreFileSupport",
            ],
            path: "Tests/TestWorker"),

        // MARK: Tests of single modules, whose folders are named like the module's folders

        .testTarget(
            name: "CairnTests",
            dependencies: ["Cairn", "CairnStore", "CairnTestSupport", "GraphSupport"]),
        .testTarget(
            name: "CairnAtomicStoreTests",
            dependencies: [
                "CairnAtomicStore", "CairnFiles", "CairnModel", "CairnRows", "CairnStore",
                "CairnTestSupport", "StoreFileSupport",
            ]),
        .testTarget(
            name: "CairnBenchmarksTests",
            dependencies: [
                "Cairn", "CairnBenchmarks", "CairnConformance", "CairnTestSupport", "FolderStore",
                "ServedStoreSupport",
                product("ArgumentParser", of: "swift-argument-parser", for: "Tool"),
            ]),
        .testTarget(
            name: "CairnBinaryTests",
            dependencies: [
                "CairnBinary", "CairnModel", "CairnRows", "CairnStore", "CairnTestSupport",
                "StoreFileSupport",
            ]),
        .testTarget(
            name: "CairnConformanceTests",
            dependencies: [
                "BrokenEngineSupport", "Cairn", "CairnBinary", "CairnCommand", "CairnConformance",
                "CairnLMDB", "CairnMemory", "CairnModel", "CairnProcesses", "CairnRows",
                "CairnSQLite", "CairnStore", "CairnTestSupport", "CairnTool", "CairnXML",
                "FolderStore", "LogStore", "ServedStoreSupport", "TestWorker",
            ],
            exclude: ["Rules/Unproved.txt"]),
        .testTarget(
            name: "CairnFilesTests",
            dependencies: ["CairnFiles", "CairnRows", "CairnStore", "CairnTestSupport"]),
        .testTarget(name: "CairnUndoTests", dependencies: ["CairnTestSupport", "CairnUndo"]),
        .testTarget(
            name: "CairnObjectsTests",
            dependencies: [
                "CairnMemory", "CairnModel", "CairnObjects", "CairnProcesses", "CairnQueries",
                "CairnRows", "CairnStack", "CairnStore", "CairnTestSupport", "CairnThreads",
                "CairnUndo", "GraphSupport", "StackSupport",
            ]),
        .testTarget(
            name: "CairnQueriesTests",
            dependencies: [
                "CairnMemory", "CairnModel", "CairnObjects", "CairnQueries", "CairnStack",
                "GraphSupport", "StackSupport",
            ]),
        .testTarget(
            name: "CairnStackTests",
            dependencies: [
                "CairnMemory", "CairnModel", "CairnObjects", "CairnQueries", "CairnRows",
                "CairnStack", "CairnStore", "CairnTestSupport", "CairnTesting", "CairnThreads",
                "GraphSupport", "StackSupport", "MemoryOnlyProgram",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
        .testTarget(
            name: "CairnGraphFilesTests",
            dependencies: ["Cairn", "CairnGraphFiles", "CairnTestSupport", "GraphSupport"]),
        .testTarget(
            name: "CairnLMDBTests",
            dependencies: [
                "CairnEngineKit", "CairnFiles", "CairnLMDB", "CairnModel", "CairnRows",
                "CairnStore",
                "CairnTestSupport", "CairnThreads", "StoreFileSupport", "TestWorker",
            ]),
        .testTarget(
            name: "CairnMacroPluginTests",
            dependencies: [
                "CairnMacroPlugin",
                product("SwiftSyntax", of: "swift-syntax", for: "Macros"),
                product("SwiftSyntaxBuilder", of: "swift-syntax", for: "Macros"),
                product("SwiftSyntaxMacroExpansion", of: "swift-syntax", for: "Macros"),
                product("SwiftSyntaxMacros", of: "swift-syntax", for: "Macros"),
                product("SwiftSyntaxMacrosGenericTestSupport", of: "swift-syntax", for: "Macros"),
            ]),
        .testTarget(
            name: "CairnMacrosTests", dependencies: ["CairnMacros", "CairnTestSupport"]),
        .testTarget(
            name: "CairnMemoryTests",
            dependencies: [
                "CairnAtomicStore", "CairnMemory", "CairnModel", "CairnRows", "CairnStore",
            ]),
        .testTarget(name: "CairnModelTests", dependencies: ["CairnModel", "CairnTestSupport"]),
        .testTarget(
            name: "CairnModelArchiveTests",
            dependencies: ["CairnModel", "CairnModelArchive", "CairnTestSupport"]),
        .testTarget(
            name: "CairnModelCodeTests",
            dependencies: [
                "Cairn", "CairnModelCode", "CairnProcesses", "CairnTestSupport", "GraphSupport",
            ]),
        .testTarget(
            name: "CairnModelFilesTests",
            dependencies: [
                "CairnModel", "CairnModelArchive", "CairnModelFiles", "CairnProcesses",
                "CairnTestSupport",
            ]),
        .testTarget(name: "CairnProcessesTests", dependencies: ["CairnProcesses"]),
        .testTarget(
            name: "CairnSQLTests", dependencies: ["CairnModel", "CairnSQL", "CairnStore"]),
        .testTarget(
            name: "CairnSQLiteTests",
            dependencies: [
                "CairnConformance", "CairnEngineKit", "CairnModel", "CairnModelArchive",
                "CairnModelFiles", "CairnRows", "CairnSQL", "CairnSQLite", "CairnStore",
                "CairnTestSupport", "CoreDataCheckSupport", "MigrationSupport", "StoreFileSupport",
                "TestWorker",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "CairnSAXTests", dependencies: ["CairnSAX"]),
        .testTarget(
            name: "CairnSaveJournalTests",
            dependencies: [
                "Cairn", "CairnRows", "CairnSaveJournal", "CairnStore", "CairnTestSupport",
                "CairnTesting", "GraphSupport",
            ]),
        .testTarget(
            name: "CairnEngineKitTests",
            dependencies: [
                "CairnEngineKit", "CairnFiles", "CairnModel", "CairnRows", "CairnStore",
                "CairnTestSupport",
            ]),
        .testTarget(
            name: "CairnRowsTests",
            dependencies: [
                "CairnModel", "CairnRows", "CairnStack", "CairnStore", "CairnTestSupport",
            ]),
        .testTarget(
            name: "CairnStoreTests",
            dependencies: [
                "CairnEngineKit", "CairnFiles", "CairnModel", "CairnStore", "CairnTestSupport",
            ]),
        .testTarget(
            name: "CairnStoreCopyingTests",
            dependencies: [
                "CairnBinary", "CairnMemory", "CairnModel", "CairnStore", "CairnStoreCopying",
                "CairnTestSupport", "StoreFileSupport",
            ]),
        .testTarget(
            name: "CairnTestingTests",
            dependencies: [
                "Cairn", "CairnConformance", "CairnMemory", "CairnStore", "CairnTestSupport",
                "CairnTesting",
                "GraphSupport",
            ]),
        .testTarget(name: "CairnThreadsTests", dependencies: ["CairnThreads"]),
        .testTarget(
            name: "CairnToolTests",
            dependencies: [
                "Cairn", "CairnCSQLite", "CairnClassWriter", "CairnCommand", "CairnProcesses",
                "CairnStore", "CairnTestSupport", "CairnTesting", "CairnTool", "GraphSupport",
            ]),
        .testTarget(
            name: "CairnXMLTests",
            dependencies: [
                "CairnModel", "CairnRows", "CairnStore", "CairnTestSupport", "CairnXML",
                "StoreFileSupport",
            ]),

        .testTarget(
            name: "CoreDataTests",
            dependencies: [
                "CairnTestSupport", "CairnTesting", "CoreData", "StartUpScenarios",
            ]),

        .testTarget(
            name: "SwiftDataTests",
            dependencies: [
                "Cairn", "CairnCLinux", "CairnTestSupport", "CoreDataCheckSupport", "ModelFolders",
                "SwiftData", "TodoModels", "TodoPrograms",
            ]),

        // MARK: Tests across modules

        // Modules, imports, linked libraries, and the locations of tests.
        .testTarget(
            name: "ArchitectureTests",
            dependencies: [
                "BinaryOnlyProgram", "CairnProcesses", "CairnTestSupport", "TestWorker",
                "MemoryOnlyProgram",
            ],
            exclude: ["UnsafeCode.txt"]),
        // Behaviour that a Core Data developer expects, case by case.
        .testTarget(
            name: "BehaviourTests",
            dependencies: [
                "Cairn", "CairnConformance", "CairnTestSupport", "CoreData", "GraphSupport",
            ]),
        // All behaviours on all engines: objects and contexts, files, damage, copying, migrations.
        .testTarget(
            name: "EveryEngineTests",
            dependencies: [
                "Cairn", "CairnAtomicStore", "CairnBinary", "CairnFiles", "CairnMemory",
                "CairnStack", "CairnStore", "CairnStoreCopying",
                "CairnTestSupport",
                "CairnTesting", "FieldGuide", "FolderStore", "GraphSupport", "ManyTasksServer",
                "MigrationSupport",
                "SaveArrangements", "ServedStoreSupport", "StoreFileSupport",
                "TestWorker",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
        // Random sequences of events, run on real contexts and on a reference model of the graph
        // (oracle).
        .testTarget(
            name: "ModelBasedTests",
            dependencies: [
                "Cairn", "CairnStore", "CairnTestSupport", "CairnTool", "GraphSupport",
                "TestWorker",
            ]),
        // Stores and models made by Core Data and by apps.
        .testTarget(
            name: "RealStoreTests",
            dependencies: [
                "Cairn", "CairnBinary", "CairnCSQLite", "CairnCommand", "CairnLMDB", "CairnModel",
                "CairnModelArchive", "CairnModelCode", "CairnModelFiles", "CairnRows",
                "CairnSQLite", "CairnStore", "CairnTestSupport", "CairnXML",
                "CoreDataCheckSupport", "GraphSupport", "StoreFileSupport",
            ]),
        // The socket engine and the kit: lost connections, damaged messages, numbers of messages.
        .testTarget(
            name: "SocketStoreTests",
            dependencies: [
                "Cairn", "CairnConformance", "CairnMemory", "CairnModel", "CairnRows", "CairnStore",
                "CairnTestSupport", "SocketStoreSupport", "TestWorker",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The engine that keeps stores in a PostgreSQL database. It needs libpq, so in a clone it is there only with
// CAIRN_POSTGRESQL=1. A package that depends on Cairn by URL compiles it only if it uses the product. A trait would
// not do: SwiftPM compiles all targets of the package in which it is called, whatever the traits.
if isFetched || Context.environment["CAIRN_POSTGRESQL"] != nil {
    package.products.append(.library(name: "CairnPostgreSQL", targets: ["CairnPostgreSQL"]))
    package.targets += [
        // The system's libpq.
        .systemLibrary(
            name: "CairnCPostgreSQL", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "CairnPostgreSQL",
            dependencies: [
                "CairnCPostgreSQL", "CairnEngineKit", "CairnModel", "CairnModelArchive",
                "CairnRows", "CairnSQL", "CairnStore", "CairnThreads",
            ]),
    ]
}
if !isFetched, Context.environment["CAIRN_POSTGRESQL"] != nil {
    // Tests of every engine can run on this one, and the tool knows it.
    let users: [String: [Target.Dependency]] = [
        "CairnCommand": ["Cairn", "CairnPostgreSQL"],
        "GraphSupport": ["CairnPostgreSQL", "PostgreSQLStoreSupport"],
    ]
    for target in package.targets {
        guard let dependencies = users[target.name] else { continue }
        target.dependencies += dependencies
        target.swiftSettings = [.define("POSTGRESQL")]
    }
    package.targets += [
        // A harness for stores on the server that script/postgres has started.
        .target(
            name: "PostgreSQLStoreSupport",
            dependencies: [
                "CairnConformance", "CairnModel", "CairnPostgreSQL", "CairnRows", "CairnStore",
            ],
            path: "Tests/PostgreSQLStoreSupport"),
        // Runs the kit on the engine, and serves its rules as another process.
        .executableTarget(
            name: "PostgreSQLConform",
            dependencies: ["CairnConformance", "PostgreSQLStoreSupport"],
            path: "Tests/PostgreSQLConform"),
        // Clients of a server that fails, for `script/postgres failover`.
        .executableTarget(
            name: "PostgreSQLFailover",
            dependencies: [
                "CairnModel", "CairnPostgreSQL", "CairnStore", "PostgreSQLStoreSupport",
            ],
            path: "Tests/PostgreSQLFailover"),
        .testTarget(
            name: "CairnPostgreSQLTests",
            dependencies: [
                "Cairn", "CairnCommand", "CairnConformance", "CairnModel", "CairnPostgreSQL",
                "CairnProcesses", "CairnRows", "CairnStore", "CairnTestSupport",
                "PostgreSQLConform", "PostgreSQLFailover",
                "PostgreSQLStoreSupport",
            ]),
    ]
}

// SwiftPM compiles every test target for any filter, and all products with the tests. CAIRN_TESTS names the only
// test targets to compile, with commas between them. What they do not need is left out, also libraries and plug-ins:
//
//     CAIRN_TESTS=CairnSQLiteTests swift test --filter CairnSQLiteTests
if let names = Context.environment["CAIRN_TESTS"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept = Set<String>()
    func keep(_ name: String) {
        guard let target = targets[name], kept.insert(name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): keep(name)
            default: break
            }
        }
    }
    for name in names.split(separator: ",").map(String.init) {
        precondition(targets[name] != nil, "CAIRN_TESTS: there is no target \(name)")
        keep(name)
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        guard let executable = product as? Product.Executable else { return true }
        return !executable.targets.allSatisfy(kept.contains)
    }
}
