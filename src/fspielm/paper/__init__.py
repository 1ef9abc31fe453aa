"""The FS-PIELM paper: its benchmarks, theory, reports and demonstration."""
