import ArgumentParser
import CairnConformance
import FolderStore
import Testing

@testable import CairnBenchmarks

@Suite struct `Arguments of a benchmark program` {
    private func parse(_ arguments: String...) throws -> BenchmarkCommand {
        try BenchmarkCommand.parse(arguments)
    }

    private let engines = MeasuredEngines()

    @Test func `select all engines at 100,000 objects in 7 rounds by default`() throws {
        let choice = try parse().choice

        #expect(choice.sizes == [100_000])
        #expect(try choice.engines(of: engines) == ["SQLite", "LMDB", "Binary", "XML", "InMemory"])
        #expect(choice.roundCount == 7)
        #expect(try choice.chosen(of: Catalogue.workloads).count > 30)
    }

    @Test func `with quick select fewer objects and rounds of every engine, unless overridden`()
        throws
    {
        let quick = try parse("--quick").choice
        let told = try parse("--quick", "--size", "50000", "--engine", "XML").choice

        #expect(quick.sizes == [10_000])
        #expect(try quick.engines(of: engines) == ["SQLite", "LMDB", "Binary", "XML", "InMemory"])
        #expect(quick.roundCount == 3)
        #expect(told.sizes == [50_000])
        #expect(try told.engines(of: engines) == ["XML"])
    }

    @Test func `may give several values to one option, in any case`() throws {
        let choice = try parse("--engine", "sqlite", "lmdb", "--workload", "k", "OPEN").choice

        #expect(try choice.engines(of: engines) == ["SQLite", "LMDB"])
        #expect(try choice.chosen(of: Catalogue.workloads).map(\.name) == ["K", "open"])
    }

    @Test func `select a program's own engine, unless told otherwise`()
        throws
    {
        let engines = MeasuredEngines([EngineHarness(FolderStore.self)])

        let own = try parse().choice.engines(of: engines)
        let told = try parse("--engine", "folder", "binary").choice.engines(of: engines)

        #expect(own == ["Folder"])
        #expect(told == ["Folder", "Binary"])
    }

    @Test(arguments: [
        (["--engine", "Oracle"], "The engines are SQLite"), (["--workload", "Z9"], "see --list"),
        (["--size", "10"], "at least 1000"), (["--rounds", "0"], "at least 1"),
        (["--model", "M.mom"], "needs --store"),
    ])
    func `are refused if they are invalid, with the valid ones`(
        arguments: [String], message: String
    ) throws {
        let error = #expect(throws: (any Error).self) {
            let choice = try BenchmarkCommand.parse(arguments).choice
            _ = try choice.engines(of: engines)
            _ = try choice.chosen(of: Catalogue.workloads)
        }

        #expect(error.map { BenchmarkCommand.message(for: $0) }?.contains(message) == true)
    }
}
