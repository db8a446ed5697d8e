// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "cairn",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Cairn", targets: ["Cairn"]),
        .executable(name: "cairn", targets: ["CairnTool"]),
        .library(name: "CairnModel", targets: ["CairnModel"]),
        .library(name: "CairnFiles", targets: ["CairnFiles"]),
        .library(name: "CairnStore", targets: ["CairnStore"]),
        .library(name: "CairnThreads", targets: ["CairnThreads"]),
        .library(name: "CairnAtomicStore", targets: ["CairnAtomicStore"]),
        .library(name: "CairnMemory", targets: ["CairnMemory"]),
        .library(name: "CairnBinary", targets: ["CairnBinary"]),
        .library(name: "CairnXML", targets: ["CairnXML"]),
        .library(name: "CairnGraph", targets: ["CairnGraph"]),
        .library(name: "CairnGraphFiles", targets: ["CairnGraphFiles"]),
        .library(name: "CairnModelArchive", targets: ["CairnModelArchive"]),
        .library(name: "CairnModelFiles", targets: ["CairnModelFiles"]),
        .library(name: "CairnSQLite", targets: ["CairnSQLite"]),
        .library(name: "CairnLMDB", targets: ["CairnLMDB"]),
        .library(name: "CairnConformance", targets: ["CairnConformance"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    ],
    targets: [
        // Schemas, values, predicates and version hashes: pure Sendable values.
        .target(name: "CairnModel"),
        // Threads of our own: the executor of turns, and locks that are waited for in order.
        .target(
            name: "CairnThreads",
            dependencies: [
                "CairnCLinux", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // Files that are written durably and replaced as a whole: the only code that writes any.
        .target(name: "CairnFiles", dependencies: ["CairnCLinux"]),
        // What of Linux's C library Swift does not see, and the running thread's number.
        .systemLibrary(name: "CairnCLinux"),
        // Other processes: started, asked, waited for, killed.
        .target(name: "CairnProcesses", dependencies: ["CairnCLinux"]),
        // The contract between the object graph and the store engines, and the packed row.
        .target(name: "CairnStore", dependencies: ["CairnFiles", "CairnModel", "CairnThreads"]),
        // What engines share that hold a whole store in memory: its rows, indexes and saves.
        .target(
            name: "CairnAtomicStore",
            dependencies: [
                "CairnFiles", "CairnStore", "CairnModel", "CairnModelArchive", "CairnThreads",
            ]),
        // The engine whose stores are gone with the process.
        .target(
            name: "CairnMemory", dependencies: ["CairnAtomicStore", "CairnStore"]),
        // The engine that keeps packed rows in one file of its own form, written as a whole.
        .target(
            name: "CairnBinary",
            dependencies: ["CairnAtomicStore", "CairnFiles", "CairnStore", "CairnModel"]),
        // The engine that reads and writes Core Data's XML stores.
        .target(
            name: "CairnXML",
            dependencies: [
                "CairnAtomicStore", "CairnFiles", "CairnStore", "CairnModel", "CairnSAX",
            ]),
        // All-or-nothing saves over several stores that are files: the redo journal and its recovery.
        .target(
            name: "CairnSaveJournal",
            dependencies: [
                "CairnFiles", "CairnStore", "CairnModel", "CairnModelArchive", "CairnThreads",
            ]),
        // Contexts, objects, faulting, saving, the coordinator and the container.
        .target(
            name: "CairnGraph",
            dependencies: [
                "CairnSaveJournal", "CairnStore", "CairnModel", "CairnThreads", "CairnCLinux",
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // Stores copied, moved, replaced and removed: work on engines and files, without the graph.
        .target(
            name: "CairnStoreCopying",
            dependencies: ["CairnFiles", "CairnStore", "CairnModel", "CairnThreads"]),
        // The coordinator's calls that copy, move, replace, destroy and migrate stores.
        .target(
            name: "CairnGraphFiles",
            dependencies: [
                "CairnGraph", "CairnStoreCopying", "CairnStore", "CairnModel", "CairnThreads",
            ]),
        // A model as a keyed archive, and raw deflate: the form in which stores keep their model.
        .target(name: "CairnModelArchive", dependencies: ["CairnModel"]),
        // Readers and writers of .xcdatamodeld, .momd and .mom.
        .target(
            name: "CairnModelFiles",
            dependencies: ["CairnFiles", "CairnModel", "CairnModelArchive", "CairnSAX"]),
        // XML by libxml2, part by part: what XML stores and source models are read with.
        .target(name: "CairnSAX", dependencies: ["CairnCLibXML2"]),
        // libxml2 of the system.
        .systemLibrary(
            name: "CairnCLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        // SQLite's C library, as the system has it.
        .systemLibrary(
            name: "CairnCSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // The engine that reads and writes Core Data's SQLite stores.
        .target(
            name: "CairnSQLite",
            dependencies: [
                "CairnFiles", "CairnStore", "CairnModel", "CairnModelArchive", "CairnThreads",
                "CairnCSQLite",
            ]),
        // LMDB's C library, as the system has it.
        .systemLibrary(
            name: "CairnCLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        // The engine that keeps packed rows in an LMDB file.
        .target(
            name: "CairnLMDB",
            dependencies: [
                "CairnFiles", "CairnStore", "CairnModel", "CairnModelArchive", "CairnThreads",
                "CairnCLMDB",
            ]),
        // The umbrella: everything re-exported, every built-in engine registered.
        .target(
            name: "Cairn",
            dependencies: [
                "CairnBinary", "CairnGraph", "CairnGraphFiles", "CairnLMDB", "CairnMemory",
                "CairnModel", "CairnModelFiles", "CairnSQLite", "CairnStore", "CairnThreads",
                "CairnXML",
            ]),

        // The kit that proves an engine: every promise of the contract as a rule.
        .target(
            name: "CairnConformance", dependencies: ["CairnProcesses", "CairnStore", "CairnModel"]),

        // The `cairn` command, one file per subcommand.
        .executableTarget(
            name: "CairnTool",
            dependencies: [
                "Cairn", "CairnConformance", "CairnSaveJournal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "TextTable", package: "TextTable"),
            ]),

        // What tests of several modules share: the corpus, temporary folders.
        .target(
            name: "CairnTestSupport", dependencies: ["CairnProcesses"],
            path: "Tests/CairnTestSupport"),
        // The start-up scenarios of Examples/StartUp, so that tests prove what it shows.
        .target(
            name: "StartUpScenarios", dependencies: ["Cairn"],
            path: "Examples/StartUp/Sources/StartUpScenarios",
            resources: [.copy("Models/Notebook.xcdatamodeld")]),
        // The server and clients of Examples/ManyTasks, so that tests run what it shows.
        .target(
            name: "ManyTasksServer", dependencies: ["Cairn"],
            path: "Examples/ManyTasks/Sources/ManyTasksServer"),
        // The arrangements of Examples/Freezing, so that tests run what it measures.
        .target(
            name: "SaveArrangements", dependencies: ["Cairn"],
            path: "Examples/Freezing/Sources/SaveArrangements"),
        // The stack of Examples/ReadOnlyCatalog, so that tests run what it shows.
        .target(
            name: "FieldGuide", dependencies: ["Cairn"],
            path: "Examples/ReadOnlyCatalog/Sources/FieldGuide"),
        // The engine of Examples/FolderStore, so that the kit proves what it shows.
        .target(
            name: "FolderStore", dependencies: ["CairnAtomicStore", "CairnStore", "CairnModel"],
            path: "Examples/FolderStore/Sources/FolderStore"),
        // The engine of Examples/LogStore, for the same reason.
        .target(
            name: "LogStore", dependencies: ["CairnFiles", "CairnStore", "CairnModel"],
            path: "Examples/LogStore/Sources/LogStore"),
        // A program that uses the in-memory engine alone: what it links is tested.
        .executableTarget(
            name: "MemoryOnlyProgram", dependencies: ["CairnGraph", "CairnMemory", "CairnModel"],
            path: "Tests/MemoryOnlyProgram"),
        // A program that moves and destroys stores of one engine: what it links is tested, too.
        .executableTarget(
            name: "BinaryOnlyProgram",
            dependencies: ["CairnBinary", "CairnGraph", "CairnGraphFiles", "CairnModel"],
            path: "Tests/BinaryOnlyProgram"),
        // Orders for the library that fails calls, which script/torture builds and loads.
        .systemLibrary(name: "TortureShim", path: "Tests/TortureShim"),
        // The program of script/torture: kills writers, fails their calls, replaces their files.
        .executableTarget(
            name: "Torture",
            dependencies: [
                "Cairn", "CairnProcesses", "CairnStoreCopying", "CairnTestSupport",
                "MigrationSupport", "StoreSamples", "TortureShim",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Torture"),
        .testTarget(
            name: "ArchitectureTests",
            dependencies: [
                "BinaryOnlyProgram", "CairnProcesses", "CairnTestSupport", "ConformanceTestWorker",
                "MemoryOnlyProgram",
            ]),
        .testTarget(name: "CairnThreadsTests", dependencies: ["CairnThreads"]),
        .testTarget(name: "CairnProcessesTests", dependencies: ["CairnProcesses"]),
        .testTarget(name: "CairnModelTests", dependencies: ["CairnModel", "CairnTestSupport"]),
        .testTarget(
            name: "CairnStoreTests",
            dependencies: ["CairnFiles", "CairnStore", "CairnModel", "CairnTestSupport"]),
        .testTarget(
            name: "CairnAtomicStoreTests",
            dependencies: ["CairnAtomicStore", "CairnStore", "CairnModel", "CairnTestSupport"]),
        .testTarget(
            name: "CairnMemoryTests",
            dependencies: ["CairnMemory", "CairnAtomicStore", "CairnStore", "CairnModel"]),
        // A store of every kind of value, and what becomes of its file when it is damaged.
        .target(
            name: "StoreSamples",
            dependencies: [
                "Cairn", "CairnBinary", "CairnLMDB", "CairnSQLite", "CairnXML", "CairnStore",
                "CairnModel", "CairnTestSupport", "FolderStore",
            ],
            path: "Tests/StoreSamples"),
        // Copying, moving, replacing and removing of stores where there is no graph.
        .testTarget(
            name: "CairnStoreCopyingTests",
            dependencies: [
                "CairnBinary", "CairnMemory", "CairnModel", "CairnStore", "CairnStoreCopying",
                "CairnTestSupport", "StoreSamples",
            ]),
        // Migrations, on every engine that keeps files, compared with what the rules say.
        .testTarget(
            name: "MigrationTests",
            dependencies: [
                "Cairn", "CairnAtomicStore", "CairnStoreCopying", "CairnTestSupport",
                "MigrationSupport",
            ]),
        // Stores filled at random, and what the rules of migrations say of them.
        .target(
            name: "MigrationSupport", dependencies: ["Cairn", "CairnTestSupport"],
            path: "Tests/MigrationSupport"),
        // Stores as files, on every engine: copied, moved, replaced, removed, told apart, damaged.
        .testTarget(
            name: "StoreFileTests",
            dependencies: [
                "Cairn", "CairnFiles", "CairnStoreCopying", "CairnTestSupport", "FolderStore",
                "StoreSamples",
                "StoreFileTestWorker",
            ]),
        // What those tests run as another process: holds a store, reads damaged ones.
        .executableTarget(
            name: "StoreFileTestWorker", dependencies: ["Cairn", "StoreSamples"],
            path: "Tests/StoreFileTestWorker"),
        // What engines of whole files share, on each of them: crashes, several processes.
        .testTarget(
            name: "WholeFileTests",
            dependencies: [
                "Cairn", "CairnAtomicStore", "CairnBinary", "CairnFiles", "CairnXML", "CairnStore",
                "CairnModel", "CairnTool", "CairnTestSupport", "StoreSamples",
                "WholeFileTestWorker",
            ]),
        // What those tests run as another process: counts, is killed, runs out of room.
        .executableTarget(
            name: "WholeFileTestWorker",
            dependencies: ["CairnBinary", "CairnXML", "CairnStore", "CairnModel"],
            path: "Tests/WholeFileTestWorker"),
        .testTarget(
            name: "CairnGraphTests",
            dependencies: [
                "CairnGraph", "CairnMemory", "CairnStore", "CairnModel", "CairnProcesses",
                "CairnTestSupport", "CairnThreads", "MemoryOnlyProgram",
            ]),
        .testTarget(
            name: "CairnModelArchiveTests",
            dependencies: ["CairnModelArchive", "CairnModel", "CairnTestSupport"]),
        .testTarget(
            name: "CairnModelFilesTests",
            dependencies: [
                "CairnModelFiles", "CairnModelArchive", "CairnModel", "CairnProcesses",
                "CairnTestSupport",
            ]),
        .testTarget(
            name: "CairnToolTests",
            dependencies: ["Cairn", "CairnProcesses", "CairnTool", "CairnTestSupport"]),
        .testTarget(
            name: "CorpusTests",
            dependencies: [
                "Cairn", "CairnTool", "CairnCSQLite", "CairnModel", "CairnTestSupport",
                "CoreDataChecks",
            ]),
        // Whether a database is as Core Data leaves its stores, by plain SQL.
        .target(
            name: "CoreDataChecks", dependencies: ["CairnCSQLite", "CairnModel"],
            path: "Tests/CoreDataChecks"),
        .testTarget(
            name: "CairnSQLiteTests",
            dependencies: [
                "CairnSQLite", "CairnStore", "CairnModel", "CairnModelArchive", "CairnModelFiles",
                "CairnConformance", "CairnTestSupport", "CoreDataChecks", "StoreFileTestWorker",
                "MigrationSupport", "StoreSamples",
            ]),
        // Engines that are wrong, each in one way: what the kit must catch.
        .target(
            name: "BrokenEngines",
            dependencies: [
                "CairnConformance", "CairnMemory", "CairnModel", "CairnSQLite", "CairnStore",
                "ServedStores",
            ],
            path: "Tests/BrokenEngines"),
        // An engine whose stores are with a service, and have no files.
        .target(
            name: "ServedStores",
            dependencies: [
                "CairnBinary", "CairnConformance", "CairnFiles", "CairnModel", "CairnStore",
            ],
            path: "Tests/ServedStores"),
        // An engine whose stores live in another process, at the far end of a Unix socket.
        .target(
            name: "SocketStores",
            dependencies: [
                "CairnConformance", "CairnModel", "CairnModelArchive", "CairnProcesses",
                "CairnStore",
            ],
            path: "Tests/SocketStores"),
        // The process in which those stores live.
        .executableTarget(
            name: "SocketStoreServer", dependencies: ["CairnLMDB", "SocketStores"],
            path: "Tests/SocketStoreServer"),
        // The kit as a program over any engine, sound or broken; the other process of its rules.
        .executableTarget(
            name: "ConformanceTestWorker",
            dependencies: [
                "BrokenEngines", "CairnBinary", "CairnConformance", "CairnLMDB", "CairnMemory",
                "CairnSQLite", "CairnStore", "CairnXML", "FolderStore", "LogStore", "ServedStores",
                "SocketStores",
            ],
            path: "Tests/ConformanceTestWorker"),
        .testTarget(
            name: "CairnConformanceTests",
            dependencies: [
                "BrokenEngines", "ConformanceTestWorker", "CairnBinary", "CairnConformance",
                "CairnLMDB", "CairnMemory", "CairnModel", "CairnProcesses",
                "CairnSQLite", "CairnStore", "CairnTool", "CairnTestSupport", "CairnXML", "Cairn",
                "FolderStore", "LogStore", "ServedStores",
            ]),
        // The socket engine and the kit; lost connections, counted messages.
        .testTarget(
            name: "SocketStoreTests",
            dependencies: [
                "Cairn", "CairnConformance", "CairnMemory", "CairnModel", "CairnStore",
                "CairnTestSupport", "ConformanceTestWorker", "SocketStoreServer", "SocketStores",
            ]),
        // Classes for any model, with slots in another order than that of the entities.
        .target(
            name: "GraphFixtures", dependencies: ["Cairn", "CairnTestSupport"],
            path: "Tests/GraphFixtures"),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Cairn", "CairnSaveJournal", "CairnTestSupport", "FieldGuide", "GraphFixtures",
                "ManyTasksServer",
                "SaveArrangements", "ServedStores", "StartUpScenarios",
            ]),
        // What anyone who knows Core Data expects, case by case.
        .testTarget(
            name: "BehaviourTests",
            dependencies: ["Cairn", "CairnConformance", "CairnTestSupport", "GraphFixtures"]),
        // Random sequences of events on real contexts and on a naive graph.
        .testTarget(
            name: "ModelBasedTests", dependencies: ["Cairn", "CairnTestSupport", "GraphFixtures"]),
        .testTarget(
            name: "CairnLMDBTests",
            dependencies: [
                "CairnLMDB", "CairnStore", "CairnModel", "CairnSQLite", "CairnTestSupport",
                "CairnLMDBTestWorker", "StoreSamples",
            ]),
        // What tests run as another process: saves, holds snapshots, is killed.
        .executableTarget(
            name: "CairnLMDBTestWorker",
            dependencies: ["CairnLMDB", "CairnStore", "CairnModel", "StoreSamples"],
            path: "Tests/CairnLMDBTestWorker"),
    ],
    swiftLanguageModes: [.v6]
)
