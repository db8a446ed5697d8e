import Cairn
import Foundation
import StoreFileSupport

/// Reads damaged files. Prints the number of each file before reading it, and the outcome afterwards.
///
///     damage SUBJECT SAMPLES SEED FIRST COUNT FOLDER    reads COUNT files, starting with number FIRST
struct DamagedReading {
    private let subject: DamageSubject
    private let sample: [UInt8]
    private let others: [[UInt8]]
    private let seed: UInt64
    private let model: ManagedObjectModel
    private let file: URL

    /// If a file keeps the process waiting longer than this, the process hangs.
    private static let secondsOfWaiting: UInt32 = 300

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 6, let subject = DamageSubject(rawValue: arguments[0]),
            let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let count = Int(arguments[4])
        else { throw WrongArguments(arguments) }
        try DamagedReading(
            subject, samples: URL(fileURLWithPath: arguments[1]), seed: seed,
            folder: URL(fileURLWithPath: arguments[5])
        ).read(first..<first + count)
    }

    private init(_ subject: DamageSubject, samples: URL, seed: UInt64, folder: URL) throws {
        self.subject = subject
        self.seed = seed
        sample = try Array(Data(contentsOf: samples.appending(path: subject.rawValue)))
        others = try DamageSubject.real.filter { $0.engine.type != subject.engine.type }.map {
            try Array(Data(contentsOf: samples.appending(path: $0.rawValue)))
        }
        model = try ManagedObjectModel(SampleModel.entities)
        file = folder.appending(path: "damaged")
    }

    private func read(_ numbers: Range<Int>) throws {
        try ProcessBounds.limitMemory()
        try write(sample)
        let expected = try subject.read(file, model) ?? []
        TestWorker.say("sound \(expected.count)")
        for number in numbers {
            let damage = FileDamage(of: sample, others: others, seed: seed, number: number)
            let bytes = subject.delivered(damage.bytes)
            TestWorker.say("begin \(number) \(damage.kind.rawValue)")
            alarm(Self.secondsOfWaiting)
            try ProcessBounds.limitTime()
            try write(bytes)
            subject.inspect(file, number)
            let found = try subject.read(file, model)
            let cover = subject.cover(of: bytes, from: sample)
            TestWorker.say("end \(number) \(outcome(found, expected, cover))")
        }
    }

    private func outcome(
        _ found: [String]?, _ expected: [String], _ cover: DamageSubject.Cover
    ) -> String {
        guard let found else { return "refused" }
        if found == expected { return "same" }
        switch cover {
        case .everything: return "wrong"
        case .nothing: return "different"
        case .rows:
            // Rows may be lost together with the pages that lead to them, but the rows that can be read must
            // be right.
            let isRow = { (line: String) in !line.hasPrefix(" ") }
            return Set(found.filter(isRow)).isSubset(of: expected.filter(isRow))
                ? "different" : "wrong"
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        for other in [file] + subject.engine.companionFiles(of: .file(file)).map(\.url) {
            try? FileManager.default.removeItem(at: other)
        }
        try Data(bytes).write(to: file)
    }
}
