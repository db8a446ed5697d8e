import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport

/// Reads damaged files within limits. Prints the number of each file before reading it, and the outcome
/// afterwards:
///
///     begin N KIND | end N refused|read
struct DamagedReading: Codable, Sendable {
    var subject: String
    /// The folder in which ``makeSamples(in:)`` created sound files.
    var samples: String
    var seed: UInt64
    var first: Int
    var count: Int
    var folder: String
    var bounds = Bounds()
    var planted: PlantedDefect?

    static func makeSamples(in folder: String) throws {
        for subject in DamageSubject.allCases {
            let bytes = try subject.makeSample(in: URL(fileURLWithPath: folder))
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + subject.rawValue))
        }
    }

    func run() throws {
        guard let subject = DamageSubject(rawValue: subject) else {
            throw HarnessFailure("no subject “\(subject)”")
        }
        let registry = try PlantedDefect.plant(planted, in: Engines.registry)
        let model = try ManagedObjectModel(SampleModel.entities)
        let original = try sample(subject)
        let others = try DamageSubject.real.filter { $0.engine.type != subject.engine.type }.map(
            sample)
        try bounds.apply()
        for number in first..<first + count {
            let damage = FileDamage(of: original, others: others, seed: seed, number: number)
            Conversation.say("begin \(number) \(damage.kind.rawValue)")
            let file = URL(fileURLWithPath: "\(folder)/damaged-\(number)")
            try Data(subject.delivered(damage.bytes)).write(to: file)
            subject.inspect(file, number)
            Conversation.say("end \(number) \(try read(subject, file, model, registry))")
        }
    }

    private func read(
        _ subject: DamageSubject, _ file: URL, _ model: ManagedObjectModel,
        _ registry: StoreRegistry
    ) throws -> String {
        guard planted != nil else {
            return try subject.read(file, model) == nil ? "refused" : "read"
        }
        do {
            let store = try registry.engine(ofType: subject.engine.type).open(
                OpenRequest(location: .file(file), model: model, isReadOnly: true))
            return try SampleModel.readAll(store).isEmpty ? "refused" : "read"
        } catch is StoreError {
            return "refused"
        }
    }

    private func sample(_ subject: DamageSubject) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: samples + "/" + subject.rawValue)))
    }
}

/// The memory and processor time that a process may use. A signal ends the process if it uses more.
struct Bounds: Codable, Sendable {
    /// The limit on private memory. Mapped files do not count.
    var memoryByteCount = 512 << 20
    var processorSeconds = 20

    func apply() throws {
        for (resource, bound) in [
            (RLIMIT_DATA, memoryByteCount), (RLIMIT_CPU, processorSeconds),
            (RLIMIT_AS, memoryByteCount + 8 << 30), (RLIMIT_CORE, 0),
        ] {
            var limit = rlimit(rlim_cur: rlim_t(bound), rlim_max: rlim_t(bound))
            guard setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else {
                throw HarnessFailure("setrlimit: errno \(errno)")
            }
        }
    }
}
