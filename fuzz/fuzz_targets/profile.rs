#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fabricsim_fuzz::run("profile", data));
